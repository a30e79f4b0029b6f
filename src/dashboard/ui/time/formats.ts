import { timeSettings, type TimeSettings } from "./zone.ts"

/** The words of the pages are English, so those of the times are as well. */
const locale = "en-US"

const clocks = {
  12: { hour: "numeric", minute: "2-digit", hour12: true },
  24: { hour: "2-digit", minute: "2-digit", hourCycle: "h23", hour12: false }
} as const

interface FormatTools {
  /** The time of the day as the person wants it. */
  readonly clock: (typeof clocks)[keyof typeof clocks]
  readonly format: (options: Intl.DateTimeFormatOptions) => Intl.DateTimeFormat
}

/** Formats in the zone and with the clock that the person has chosen; making one takes longer than a hundred uses. */
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
