import { formatTimeOfDay } from "../../ui/time/time.ts"

export const hourOptions = () => Array.from({ length: 24 }, (_, hour) => [hour, formatTimeOfDay(hour, 0)] as const)
