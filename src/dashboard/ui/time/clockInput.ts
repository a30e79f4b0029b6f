export interface ClockTime {
  readonly hour: number
  readonly minute: number
}

/** Parses `14:30`, `14.30`, `1430`, `9`, `2:30 pm`, `2p`. Undefined if invalid. */
export const parseClock = (text: string): ClockTime | undefined => {
  const [, hours, minutes = "0", half] =
    /^(\d{1,2})(?:\s*[:.h]?\s*(\d\d))?\s*(?:([ap])\.?\s*(?:m\.?)?)?$/i.exec(text.trim()) ?? []
  if (hours === undefined) return undefined
  const said = Number(hours)
  const minute = Number(minutes)
  if (half !== undefined && (said < 1 || said > 12)) return undefined
  const hour = half === undefined ? said : (said % 12) + (half.toLowerCase() === "p" ? 12 : 0)
  return hour < 24 && minute < 60 ? { hour, minute } : undefined
}
