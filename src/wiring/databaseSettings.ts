import { Effect, Layer, Metric, Ref, Schedule } from "effect"
import { DatabaseSettings, type Weakenable, weakenable } from "../repo/postgres/settings.ts"

const weakened = Metric.gauge("database_weakened_setting", {
  description: "Whether a setting lets a crash of PostgreSQL or its machine lose or damage what was committed: 1 or 0"
})

const consequences: Readonly<Record<Weakenable, string>> = {
  fsync: "fsync is off in PostgreSQL: if its machine crashes, the database may be damaged, and posts may go out twice",
  full_page_writes:
    "full_page_writes is off in PostgreSQL: if its machine crashes while it writes a page, the database may be damaged",
  synchronous_commit:
    "A session's synchronous_commit does not wait for the disk: if PostgreSQL crashes, posts may go out twice; set it to 'on' for the role, and reconnect the pooler's sessions"
}

/** Reports settings that endanger stored data, in the metrics and in warnings. */
export const databaseSettingsReportLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    const settings = yield* DatabaseSettings
    const known = yield* Ref.make<ReadonlyArray<Weakenable>>([])
    const report = Effect.gen(function* () {
      const found = yield* settings.weakened
      for (const setting of weakenable) {
        const isWeakened = found.includes(setting)
        yield* Metric.update(Metric.withAttributes(weakened, { setting }), isWeakened ? 1 : 0)
      }
      const before = yield* Ref.getAndSet(known, found)
      for (const setting of found) if (!before.includes(setting)) yield* Effect.logWarning(consequences[setting])
    })
    yield* Effect.forkScoped(Effect.repeat(Effect.ignoreCause(report), Schedule.spaced("1 minute")))
  })
)
