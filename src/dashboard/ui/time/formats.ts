import { timeSettings, type TimeSettings } from "./zone.ts"

/** English, because all texts of the pages are. */
const locale = "en-US"

const clocks = {
  12: { hour: "numeric", minute: "2-digit", hour12: true },
  24: { hour: "2-digit", minute: "2-digit", hourCycle: "h23", hour12: false }
} as const

interface FormatTools {
  /** The person's choice of 12 or 24 hours. */
  readonly clock: (typeof clocks)[keyof typeof clocks]
  readonly format: (options: Intl.DateTimeFormatOptions) => Intl.DateTimeFormat
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
      const zone = settings.timeZone === null ? {} : { timeZone: settings.timeZone }
      made = make({
        clock: clocks[settings.hours],
        format: (options) => new Intl.DateTimeFormat(locale, { ...options, ...zone })
      })
      madeFor = settings
    }
    return made
  }
}
