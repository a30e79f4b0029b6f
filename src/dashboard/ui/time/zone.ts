import { TZDateMini } from "@date-fns/tz/date/mini"
import type { Clock, WeekStart } from "../../../domain/plain/profile.ts"
import { makeStore } from "../../store/makeStore.ts"

export interface TimeSettings {
  readonly hours: Clock
  readonly weekStartsOn: WeekStart
  /** A zone that the browser knows; null for the browser's own. */
  readonly timeZone: string | null
}

export const timeSettings = makeStore<TimeSettings>({ hours: 24, weekStartsOn: "monday", timeZone: null })

export const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** Such as `Europe/Berlin`. */
export const shownZone = (): string => timeSettings.get().timeZone ?? browserZone

/** A time whose getters return its parts in the displayed zone. */
export const inZone = (at: Date | string): Date => {
  const { timeZone } = timeSettings.get()
  const date = new Date(at)
  return timeZone === null ? date : new TZDateMini(date.getTime(), timeZone)
}

/** In the displayed zone. Months count from 0. Parts out of range carry over. */
export const timeOfZone = (year: number, month: number, day: number, hour = 0, minute = 0): Date => {
  const { timeZone } = timeSettings.get()
  return timeZone === null
    ? new Date(year, month, day, hour, minute)
    : new TZDateMini(year, month, day, hour, minute, 0, 0, timeZone)
}
