import { presentZoneNames } from "../../../domain/plain/presentZoneNames.ts"
import { makeReadOffset } from "../../../domain/plain/timeZone.ts"
import { formatOffset } from "../../ui/time/doubledTime.ts"

/** The browser's zones. */
export const knownZones = Intl.supportedValuesOf("timeZone")

const withSpaces = (zone: string): string => zone.replaceAll("_", " ")

const labelOf = (zone: string, now: number): string => {
  const today = presentZoneNames.get(zone)
  const name = today === undefined ? withSpaces(zone) : `${withSpaces(zone)} (now ${withSpaces(today)})`
  return zone === "UTC" ? zone : `${name}, ${formatOffset(makeReadOffset(zone)(now))}`
}

/**
 * All zones by name, former names included, with their offsets today.
 * @param known The browser's zones.
 * @param chosen The chosen zone, which is listed even if the browser does not know it. It is shown in the usual
 *   spelling, because queues of earlier versions can have others, such as `europe/berlin`.
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
  if (chosen === null || names.has(chosen)) return labels
  const usual = listed.find((zone) => zone.toLowerCase() === chosen.toLowerCase())
  return usual === undefined
    ? [[chosen, withSpaces(chosen)], ...labels]
    : labels.map(([zone, label]) => [zone === usual ? chosen : zone, label])
}
