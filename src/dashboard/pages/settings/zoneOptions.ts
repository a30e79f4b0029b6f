import { presentZoneNames } from "../../../domain/plain/presentZoneNames.ts"
import { makeReadOffset } from "../../../domain/plain/timeZone.ts"

/** The browser's zones. */
export const knownZones = Intl.supportedValuesOf("timeZone")

const minuteMillis = 60_000
const twoDigits = (value: number): string => String(value).padStart(2, "0")

/** Such as `UTC+05:30`. */
const formatOffset = (offset: number): string => {
  const minutes = Math.round(Math.abs(offset) / minuteMillis)
  return `UTC${offset < 0 ? "−" : "+"}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}

const withSpaces = (zone: string): string => zone.replaceAll("_", " ")

const labelOf = (zone: string, now: number): string => {
  const today = presentZoneNames.get(zone)
  const name = today === undefined ? withSpaces(zone) : `${withSpaces(zone)} (now ${withSpaces(today)})`
  return zone === "UTC" ? zone : `${name}, ${formatOffset(makeReadOffset(zone)(now))}`
}

/**
 * All zones by name, former names included, with their offsets today.
 * @param known The browser's zones.
 * @param chosen The chosen zone, which is listed even if the browser does not know it.
 * @param now In milliseconds since 1970.
 */
export const zoneOptions = (
  known: ReadonlyArray<string>,
  chosen: string | null,
  now: number
): ReadonlyArray<readonly [zone: string, label: string]> => {
  const names = new Set(["UTC", ...known, ...known.flatMap((zone) => presentZoneNames.get(zone) ?? [])])
  const listed = Array.from(names).toSorted()
  const labels = listed.map((zone) => [zone, labelOf(zone, now)] as const)
  return chosen === null || names.has(chosen) ? labels : [[chosen, withSpaces(chosen)], ...labels]
}
