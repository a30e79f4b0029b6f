import { clocks, type Theme, themes, weekStarts } from "../../domain/plain/profile.ts"
import type { ProfileJson } from "../api/profile.ts"
import { parseStored, readStored, writeStored } from "../store/browserStorage.ts"
import { type TimeSettings, timeSettings } from "../ui/time/zone.ts"

type Preferences = Pick<ProfileJson, "theme" | "hours" | "week_starts_on" | "time_zone">

/** The preferences are stored, so that the next page looks right from its first frame. */
const name = "preferences"

const pick = <A>(values: ReadonlyArray<A>, value: unknown, otherwise: A): A =>
  values.find((each) => each === value) ?? otherwise

/** Null for a zone that this browser does not know, although the service may. */
const knownZone = (zone: unknown): string | null => {
  if (typeof zone !== "string") return null
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

const showTheme = (theme: Theme) => {
  if (theme === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
}

const isSame = (left: TimeSettings, right: TimeSettings): boolean =>
  left.hours === right.hours && left.weekStartsOn === right.weekStartsOn && left.timeZone === right.timeZone

const apply = (stored: Partial<Record<keyof Preferences, unknown>>) => {
  showTheme(pick(themes, stored.theme, "system"))
  const times: TimeSettings = {
    hours: pick(clocks, stored.hours, 24),
    weekStartsOn: pick(weekStarts, stored.week_starts_on, "monday"),
    timeZone: knownZone(stored.time_zone)
  }
  if (!isSame(times, timeSettings.get())) timeSettings.set(times)
}

const applyStored = (text: string | null) => {
  const stored = parseStored(text)
  apply(typeof stored === "object" && stored !== null ? stored : {})
}

applyStored(readStored(name))

// Follows changes in other tabs.
window.addEventListener("storage", ({ key, newValue }) => {
  if (key === name) applyStored(newValue)
})

export const hasPreferences = (): boolean => readStored(name) !== null

export const adoptPreferences = ({ hours, theme, time_zone, week_starts_on }: Preferences) => {
  const preferences: Preferences = { hours, theme, time_zone, week_starts_on }
  writeStored(name, JSON.stringify(preferences))
  apply(preferences)
}

/** Called at log-out, because the next person may have other preferences. */
export const forgetPreferences = () => {
  writeStored(name, undefined)
  apply({})
}
