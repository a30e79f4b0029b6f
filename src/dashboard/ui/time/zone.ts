import type { Clock, WeekStart } from "../../../domain/plain/profile.ts"
import { makeReadOffset, offsetOf, type ReadOffset, type ZoneRules } from "../../../domain/plain/timeZone.ts"
import { makeStore } from "../../store/makeStore.ts"
import { ZonedDate } from "./ZonedDate.ts"

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

/** The service's rules of a zone, by the zone's name. */
const adopted = new Map<string, ZoneRules>()

/** The browser's own rules, used for years that the service's rules leave out, or if these can't be loaded. */
const own = new Map<string, ReadOffset>()

const readOwn = (zone: string): ReadOffset => {
  const read = own.get(zone) ?? makeReadOffset(zone)
  own.set(zone, read)
  return read
}

export const hasZoneRules = (zone: string): boolean => adopted.has(zone)

/** The wall times that became instants by the browser's rules, by zone and instant. */
const provisional = new Map<string, Map<string, Date>>()

/** From the instant of a chosen wall time to its instant by the service's rules. */
type Correct = (at: string) => string

const listeners = new Set<(correct: Correct) => void>()

/** Shows all times again, because the browser's rules may be older than the service's. Chosen wall times stay. */
export const adoptZoneRules = (rules: ZoneRules) => {
  const { name } = rules
  if (JSON.stringify(adopted.get(name)) === JSON.stringify(rules)) return
  adopted.set(name, rules)
  const walls = provisional.get(name)
  provisional.delete(name)
  for (const listener of Array.from(listeners)) {
    listener((at) => {
      const wall = walls?.get(at)
      return wall === undefined ? at : ZonedDate.ofWall(wall, offsetIn(name)).toISOString()
    })
  }
  timeSettings.set({ ...timeSettings.get() })
}

/** The instant of a wall time that a person chose, in the API's format. */
export const chosenInstant = (time: Date): string => {
  const [at, zone] = [time.toISOString(), shownZone()]
  if (!adopted.has(zone))
    provisional.set(zone, (provisional.get(zone) ?? new Map<string, Date>()).set(at, wallTime(time)))
  return at
}

/** Calls the listener when a zone's rules arrive that correct chosen times. Returns a function that unsubscribes. */
export const onZoneRules = (listener: (correct: Correct) => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const offsetIn = (zone: string): ReadOffset => {
  const rules = adopted.get(zone)
  return (at) => (rules && offsetOf(rules, at)) ?? (Number.isNaN(at) ? 0 : readOwn(zone)(at))
}

/** The offset of the displayed zone at an instant. */
export const shownOffset: ReadOffset = (at) => offsetIn(shownZone())(at)

/** A time whose getters and setters use wall times of the displayed zone. */
export const inZone = (at: Date | string): Date => new ZonedDate(new Date(at).getTime(), offsetIn(shownZone()))

/** A time in the displayed zone. Months count from 0, and values out of range carry over. */
export const timeOfZone = (year: number, month: number, day: number, hour = 0, minute = 0): Date => {
  const wall = new Date(0)
  wall.setUTCFullYear(year, month, day)
  wall.setUTCHours(hour, minute)
  return ZonedDate.ofWall(wall, offsetIn(shownZone()))
}

/** The wall time of an instant, as if it were in UTC. */
export const wallTime = (at: Date): Date => {
  const time = at.getTime()
  return new Date(time + offsetIn(shownZone())(time))
}
