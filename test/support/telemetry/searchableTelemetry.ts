import { inspect } from "node:util"
import { Cause, Context, Effect, Exit, Layer, Logger, References, Schema, Tracer } from "effect"
import { SqlClient } from "effect/sql"

export const inspectFully = (value: unknown): string =>
  inspect(value, { depth: 20, maxArrayLength: null, maxStringLength: null, breakLength: Number.POSITIVE_INFINITY })

/** The parts of a span that an exporter would send. */
const formatSpan = (span: Tracer.NativeSpan): string =>
  [
    span.name,
    inspectFully([...span.attributes]),
    inspectFully(span.events),
    span.status._tag === "Ended" && Exit.isFailure(span.status.exit) ? Cause.pretty(span.status.exit.cause) : ""
  ].join("\n")

/** A test's logs and spans as text, to be searched for secrets. */
export class SearchableTelemetry extends Context.Service<
  SearchableTelemetry,
  {
    /** Each line in every format that a logger can use. */
    readonly logs: Effect.Effect<ReadonlyArray<string>>
    readonly spans: Effect.Effect<ReadonlyArray<string>>
  }
>()("test/SearchableTelemetry") {
  /** Captures every level down to Trace. */
  static readonly layer = Layer.unwrap(
    Effect.sync(() => {
      const logs: Array<string> = []
      const spans: Array<Tracer.NativeSpan> = []
      const formats = [Logger.formatJson, Logger.formatLogFmt, Logger.formatSimple]
      const logger = Logger.make((options) => {
        logs.push(
          ...formats.map((format) => format.log(options)),
          inspectFully(options.message),
          Cause.pretty(options.cause)
        )
      })
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      return Layer.mergeAll(
        Layer.succeed(SearchableTelemetry, {
          logs: Effect.sync(() => [...logs]),
          spans: Effect.sync(() => spans.map(formatSpan))
        }),
        Logger.layer([logger]),
        Layer.succeed(References.MinimumLogLevel, "Trace"),
        Layer.succeed(Tracer.MinimumTraceLevel, "All"),
        Layer.succeed(Tracer.Tracer, tracer)
      )
    })
  )
}

/** Every row of every table as text, followed by its binary columns. */
export const storedRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* Effect.flatMap(
    sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))
  )
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    Effect.flatMap(
      sql`SELECT to_jsonb(t)::text AS text FROM ${sql(name)} t`,
      Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ text: Schema.String })))
    )
  )
  return rows
    .flat()
    .flatMap(({ text }) => [
      text,
      ...[...text.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex = ""]) => Buffer.from(hex, "hex").toString("latin1"))
    ])
})
