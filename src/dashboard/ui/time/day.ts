import { inZone, timeOfZone } from "./zone.ts"

const two = (value: number): string => String(value).padStart(2, "0")

/** Such as `2026-11-24`, as in addresses. */
export const dayKey = (time: Date): string => {
  const day = inZone(time)
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

/** The last accepted year. The API refuses five-digit years, which a calendar near 10000 would show. */
const lastYear = 9990

/** Undefined if the text is not a `dayKey`. */
export const parseDay = (text: string | null): Date | undefined => {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? "") ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  const date = timeOfZone(Number(year), Number(month) - 1, Number(day))
  return Number.isNaN(date.getTime()) || dayKey(date) !== text || Number(year) > lastYear ? undefined : date
}
