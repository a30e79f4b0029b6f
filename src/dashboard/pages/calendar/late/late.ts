// Code that the calendar loads when it is first needed, in one file.
export { Agenda } from "./Agenda.tsx"
export { ChipCard } from "./ChipCard.tsx"
export { DayView } from "./DayView.tsx"
export { FilterDialog } from "./FilterDialog.tsx"
export { QueueOrder } from "./QueueOrder.tsx"
export { SearchFound } from "./SearchFound.tsx"
export { WeekGrid } from "./WeekGrid.tsx"
export { MoveQuestions } from "../MoveQuestions.tsx"
