import { version } from "../../../src/domain/version.ts"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { defaultScopes } from "../../../src/domain/plain/access.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { plan } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import type { RawConnection, RawResponse } from "../../support/http/rawConnection.ts"
import { adminOf, makeKey, makeMember, makeSession, makeTeam, startOnDatabase } from "../../support/http/team.ts"
import { capturedTelemetryLayer } from "../../support/telemetry/capturedTelemetry.ts"
import type { Changes, Names } from "./hostileCase.ts"

/** A server on a real database with two workspaces, each of which has a draft. */
export class HostileWorld extends Context.Service<HostileWorld, { readonly url: string; readonly names: Names }>()(
  "test/HostileWorld"
) {
  static readonly layer = Layer.effect(
    HostileWorld,
    Effect.gen(function* () {
      const { integrations, invites, posts } = yield* Repo
      const url = yield* startOnDatabase({ rateLimitPerMinute: 1_000_000 })
      const team = yield* makeTeam
      const others = yield* makeTeam
      const { id: post } = yield* posts.create(team.workspaceId, plan(null))
      const { id: foreign } = yield* posts.create(others.workspaceId, plan(null))
      const agent = yield* makeKey(team.workspaceId, {
        requiresApproval: true,
        scopes: [...defaultScopes, "posts:publish"]
      })
      const viewer = yield* makeMember(team.workspaceId, "viewer")
      const { invite } = yield* invites.create(adminOf(team), "invited@example.com", "viewer")
      const [account] = yield* integrations.list(team.workspaceId)
      const names = {
        key: team.key,
        cookie: team.cookie,
        post,
        foreign,
        agent: agent.key,
        agentId: agent.id,
        viewer: yield* makeSession(viewer.id, team.workspaceId),
        viewerId: viewer.id,
        admin: team.user.id,
        invite: invite.id,
        integration: account?.id ?? ""
      }
      return { url, names }
    })
  ).pipe(Layer.provide(capturedTelemetryLayer), Layer.provideMerge(repoLayer))
}

const tables = [
  "api_keys",
  "authorisations",
  "idempotency_keys",
  "integrations",
  "invites",
  "members",
  "notification_reads",
  "notifications",
  "post_approvals",
  "post_targets",
  "posts",
  "sessions",
  "users",
  "workspaces"
] as const

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ table: Schema.String, row: Schema.String })))

/** Every stored row. The time at which a key was last used does not count as a change. */
export const storedRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe(
    tables
      .map((table) => `SELECT '${table}' AS table, (to_jsonb(t) - 'last_used_at')::text AS row FROM ${table} t`)
      .join(" UNION ALL ")
  )
  return new Set((yield* decodeRows(rows)).map(({ table, row }) => `${table} ${row}`))
})

/** The numbers of added and removed rows of each table that differs. */
export const countChanges = (before: ReadonlySet<string>, after: ReadonlySet<string>): Changes => {
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

let probes = 0

/** True if the server reads the next bytes on a connection as the next request, and responds to it. */
export const isInSync = (connection: RawConnection) => {
  const id = `probe-${++probes}`
  connection.send(`GET /healthz HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n\r\n`)
  return Effect.map(
    connection.response,
    (response) =>
      response?.status === 200 &&
      response.headers["x-request-id"] === id &&
      response.text === JSON.stringify({ status: "ok", version })
  )
}

/** A problem's members that differ between responses or follow from its code. */
const ignoredMembers: ReadonlySet<string> = new Set(["type", "title", "request_id"])

/** A response's body: a problem's characteristic members, otherwise the text. */
export const comparableBody = ({ headers, text }: RawResponse): unknown =>
  headers["content-type"] === "application/problem+json"
    ? JSON.parse(text, (name, value: unknown) => (ignoredMembers.has(name) ? undefined : value))
    : text
