import { timeSettings, type TimeSettings, wallTime } from "./zone.ts"

/** English, because all texts of the pages are. */
const locale = "en-US"

const clocks = {
  12: { hour: "numeric", minute: "2-digit", hour12: true },
  24: { hour: "2-digit", minute: "2-digit", hourCycle: "h23", hour12: false }
} as const

interface Format {
  readonly format: (date: Date) => string
  readonly formatRange: (from: Date, to: Date) => string
}

/** Formats wall times, which are given as if they were in UTC: the browser's rules of the zone may be outdated. */
const makeFormat = (options: Intl.DateTimeFormatOptions): Format => {
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" })
  return {
    format: (date) => format.format(wallTime(date)),
    formatRange: (from, to) => format.formatRange(wallTime(from), wallTime(to))
  }
}

interface FormatTools {
  /** The person's choice of 12 or 24 hours. */
  readonly clock: (typeof clocks)[keyof typeof clocks]
  readonly format: (options: Intl.DateTimeFormatOptions) => Format
}

/**
 * For the person's zone and clock. Formats are cached, because making one takes longer than using it a hundred times.
 */
export const formatsOf = <A>(make: (tools: FormatTools) => A): (() => A) => {
  let madeFor: TimeSettings | undefined
  let made: A | undefined
  return () => {
    const settings = timeSettings.get()
    if (made === undefined || madeFor !== settings) {
      made = make({ clock: clocks[settings.hours], format: makeFormat })
      madeFor = settings
    }
    return made
  }
}
