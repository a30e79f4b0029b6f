import { Duration as Longer } from "effect"

export * from "effect"

const pace = Number(process.env["CHAOS_PACE"] ?? "1")

/** What `effect` is to the modules of waits: each unit is as much shorter as the campaign is faster. */
export const Duration = {
  ...Longer,
  seconds: (seconds: number) => Longer.millis((seconds * 1000) / pace),
  minutes: (minutes: number) => Longer.millis((minutes * 60_000) / pace),
  hours: (hours: number) => Longer.millis((hours * 3_600_000) / pace)
}
