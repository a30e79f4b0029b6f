// Code that the calendar loads when it is first needed, in one file.
export { ChipCard } from "./ChipCard.tsx"
export { DayView } from "./DayView.tsx"
export { FilterDialog } from "./FilterDialog.tsx"
export { SearchFound } from "./SearchFound.tsx"
export { MoveQuestions } from "../MoveQuestions.tsx"
