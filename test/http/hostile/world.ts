import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { plan } from "../../support/database/fixtures.ts"
import type { RawResponse, RawConnection } from "../../support/http/rawConnection.ts"
import { makeTeam, startOnDatabase } from "../../support/http/team.ts"
import { capturedTelemetryLayer } from "../../support/telemetry/capturedTelemetry.ts"
import type { Changes, Names } from "./case.ts"

/** A server on the real database, with two teams that have a draft each. */
export class World extends Context.Service<World, { readonly url: string; readonly names: Names }>()("test/World") {
  static readonly layer = Layer.effect(
    World,
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const url = yield* startOnDatabase({ rateLimitPerMinute: 1_000_000 })
      const team = yield* makeTeam
      const others = yield* makeTeam
      const { id: post } = yield* posts.create(team.workspaceId, plan(null))
      const { id: foreign } = yield* posts.create(others.workspaceId, plan(null))
      return { url, names: { key: team.key, cookie: team.cookie, post, foreign } }
    })
  ).pipe(Layer.provide(capturedTelemetryLayer))
}

const tables = [
  "api_keys",
  "authorisations",
  "idempotency_keys",
  "integrations",
  "members",
  "notification_reads",
  "notifications",
  "post_targets",
  "posts",
  "sessions",
  "users",
  "workspaces"
] as const

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ table: Schema.String, row: Schema.String })))

/** Every row that is stored. When a key was used last is not a change. */
const storedRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe(
    tables
      .map((table) => `SELECT '${table}' AS table, (to_jsonb(t) - 'last_used_at')::text AS row FROM ${table} t`)
      .join(" UNION ALL ")
  )
  return (yield* decodeRows(rows)).map(({ table, row }) => `${table} ${row}`)
})

/** What is stored that was not before, and the other way round. */
export const changesSince = (before: ReadonlySet<string>, after: ReadonlySet<string>): Changes => {
  const count = (rows: ReadonlySet<string>, table: string) =>
    [...rows].filter((row) => row.startsWith(`${table} `)).length
  const added = after.difference(before)
  const removed = before.difference(after)
  return Object.fromEntries(
    tables
      .map((table) => [table, [count(added, table), count(removed, table)]] as const)
      .filter(([, [more, fewer]]) => more + fewer > 0)
  )
}

export const stored = Effect.map(storedRows, (rows) => new Set(rows))

let probes = 0

/** Whether the server takes what comes next through a connection for the next request, and answers it. */
export const isInStep = (connection: RawConnection) => {
  const id = `probe-${++probes}`
  connection.send(`GET /healthz HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n\r\n`)
  return Effect.map(
    connection.answer,
    (answer) => answer?.status === 200 && answer.headers["x-request-id"] === id && answer.text === '{"status":"ok"}'
  )
}

/** These differ from answer to answer, or follow from the code. */
const noise: ReadonlySet<string> = new Set(["type", "title", "request_id"])

const withoutNoise = (text: string): unknown =>
  JSON.parse(text, (name, value: unknown) => (noise.has(name) ? undefined : value))

/** The body of an answer: of a problem the members that tell one from another, otherwise the text. */
export const bodyOf = ({ headers, text }: RawResponse): unknown =>
  headers["content-type"] === "application/problem+json" ? withoutNoise(text) : text
