import { DateTime, Effect, Option, Predicate, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, QueueMismatch } from "../../domain/errors.ts"
import { UserId, WorkspaceId } from "../../domain/ids.ts"
import type { Authority } from "../../domain/people/authority.ts"
import { NamedAuthor } from "../../domain/people/namedAuthor.ts"
import { isPlatform } from "../../domain/plain/platforms.ts"
import { QueueEntry, type QueueSchedule } from "../../domain/posts/queue.ts"
import type { RevisionMatch } from "../../domain/posts/revisionMatch.ts"
import { makeDigestTimes } from "../notifications/digestTimes.ts"
import { type AuthorityError, makeAuthority } from "../people/authority.ts"
import { AuthorIds, authorIds, authorJson } from "../postgres/author.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeFindSlots, type FindSlots } from "./findSlots.ts"
import { makeLockQueue } from "./lockQueue.ts"
import { makePlannedPosts, type PlannedPosts } from "./plannedPosts.ts"

export interface StoredQueue {
  /** Null until the workspace has a queue. */
  readonly timeZone: string | null
  readonly entries: ReadonlyArray<QueueEntry>
  readonly revision: number
  readonly updatedAt: DateTime.Utc | null
  readonly updatedBy: typeof NamedAuthor.Type | null
}

export interface Queues extends FindSlots, PlannedPosts {
  readonly get: (workspaceId: WorkspaceId) => Effect.Effect<StoredQueue, DatabaseUnavailable>
  /** Moves no post. Fails with QueueMismatch if somebody has changed the queue since it was read. */
  readonly replace: (
    workspaceId: WorkspaceId,
    queue: QueueSchedule,
    match: RevisionMatch | undefined,
    by: Authority
  ) => Effect.Effect<StoredQueue, QueueMismatch | AuthorityError | DatabaseUnavailable>
  /** The time zone that a person has chosen for the dashboard. */
  readonly zoneOfPerson: (userId: UserId) => Effect.Effect<string | null, DatabaseUnavailable>
  /** Until the surrounding transaction ends, nobody else takes a slot or changes the queue. */
  readonly lock: (workspaceId: WorkspaceId) => Effect.Effect<void, DatabaseUnavailable>
}

/** The revision of a workspace without a queue, so that `If-Match` can also protect the first change. */
const noRevision = 1

const none: StoredQueue = { timeZone: null, entries: [], revision: noRevision, updatedAt: null, updatedBy: null }

const Row = Schema.Struct({
  timeZone: Schema.String,
  entries: Schema.Unknown,
  revision: Schema.Int,
  updatedAt: Timestamp,
  updatedBy: Schema.NullOr(NamedAuthor)
})

const decodeEntry = Schema.decodeUnknownOption(QueueEntry)

/** Without the platforms that only a later version knows. An entry that has no other is for none of this version's. */
const knownEntry = (stored: unknown): ReadonlyArray<QueueEntry> => {
  if (!Predicate.hasProperty(stored, "platforms") || !Array.isArray(stored.platforms)) {
    return Option.toArray(decodeEntry(stored))
  }
  const platforms = stored.platforms.filter((name) => Predicate.isString(name) && isPlatform(name))
  return platforms.length === 0 ? [] : Option.toArray(decodeEntry({ ...stored, platforms }))
}

const toQueue = ({ entries, ...row }: typeof Row.Type): StoredQueue => ({
  ...row,
  entries: Array.isArray(entries) ? entries.flatMap(knownEntry) : []
})

const checkMatch = (revision: number, match: RevisionMatch | undefined) =>
  match === undefined || match === "any" || match.some((seen) => seen.revision === revision && seen.status === null)
    ? Effect.void
    : Effect.fail(QueueMismatch.at(revision))

export const makeQueues = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lockQueue = yield* makeLockQueue
  const { hold } = yield* makeAuthority
  const digestTimes = yield* makeDigestTimes

  const columns = sql.literal(`q.time_zone AS "timeZone", q.entries, q.revision, q.updated_at AS "updatedAt",
    ${authorJson("q.updated_by_key", "q.updated_by_user", "q.workspace_id")} AS "updatedBy"`)

  const find = SqlSchema.findOneOption({
    Request: WorkspaceId,
    Result: Row,
    execute: (workspaceId) => sql`SELECT ${columns} FROM queues q WHERE q.workspace_id = ${workspaceId}::uuid`
  })

  const read = (workspaceId: WorkspaceId) =>
    Effect.map(find(workspaceId), (row) => Option.match(row, { onNone: () => none, onSome: toQueue }))

  const get: Queues["get"] = Effect.fn("Repo.queues.get")((workspaceId) =>
    read(workspaceId).pipe(withDatabaseTimeout("reading a queue"))
  )

  const write = SqlSchema.findOne({
    Request: Schema.Struct({
      workspaceId: WorkspaceId,
      timeZone: Schema.String,
      entries: Schema.fromJsonString(Schema.Array(QueueEntry)),
      ...AuthorIds.fields,
      now: Timestamp
    }),
    Result: Row,
    execute: ({ byKey, byUser, entries, now, timeZone, workspaceId }) => sql`
      INSERT INTO queues AS q (workspace_id, time_zone, entries, revision, updated_at, updated_by_key, updated_by_user)
      VALUES (${workspaceId}::uuid, ${timeZone}, ${entries}::jsonb, ${noRevision + 1}::int, ${now}::timestamptz, ${byKey}::uuid, ${byUser}::uuid)
      ON CONFLICT (workspace_id) DO UPDATE SET time_zone = excluded.time_zone, entries = excluded.entries,
        revision = q.revision + 1, updated_at = excluded.updated_at, updated_by_key = excluded.updated_by_key,
        updated_by_user = excluded.updated_by_user
      RETURNING ${columns}`
  })

  const replace: Queues["replace"] = Effect.fn("Repo.queues.replace")(
    function* (workspaceId, { entries, time_zone: timeZone }, match, by) {
      yield* lockQueue(workspaceId)
      yield* hold(by)
      const before = yield* read(workspaceId)
      yield* checkMatch(before.revision, match)
      const now = yield* DateTime.now
      const written = toQueue(yield* write({ workspaceId, timeZone, entries, ...authorIds(by.author), now }))
      if (timeZone !== before.timeZone) yield* digestTimes.followHour(workspaceId, null)
      return written
    },
    sql.withTransaction,
    Effect.catchTag("NoSuchElementError", Effect.die),
    withDatabaseTimeout("changing a queue")
  )

  const findZone = SqlSchema.findOneOption({
    Request: UserId,
    Result: Schema.Struct({ zone: Schema.NullOr(Schema.String) }),
    execute: (userId) => sql`SELECT time_zone AS zone FROM users WHERE id = ${userId}::uuid`
  })

  const zoneOfPerson: Queues["zoneOfPerson"] = Effect.fn("Repo.queues.zoneOfPerson")((userId) =>
    findZone(userId).pipe(
      Effect.map((row) => Option.match(row, { onNone: () => null, onSome: ({ zone }) => zone })),
      withDatabaseTimeout("reading a time zone")
    )
  )

  const lock: Queues["lock"] = (workspaceId) => lockQueue(workspaceId).pipe(withDatabaseTimeout("locking a queue"))

  return { ...(yield* makeFindSlots), ...(yield* makePlannedPosts), get, replace, zoneOfPerson, lock } satisfies Queues
})
