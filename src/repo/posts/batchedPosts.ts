import { Effect, Exit, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeyId, EventId, PostId, WorkspaceId } from "../../domain/ids.ts"
import { LinkCard } from "../../domain/posts/linkCard.ts"
import { PlatformOverrides, PlatformSettings } from "../../domain/posts/platformSettings.ts"
import { CurrentRequester } from "../../domain/requester.ts"
import { PostStatus } from "../../domain/posts/post.ts"
import { Thread } from "../../domain/posts/thread.ts"
import { batchBounds } from "../batchBounds.ts"
import { recordCreatedPosts } from "../events/postEvents.ts"
import { followed } from "../events/position.ts"
import { KeyUse, tryLockKey } from "../idempotency.ts"
import { makeBatch } from "../makeBatch.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { JsonTime, NullableJsonTime } from "../postgres/rows.ts"
import { dueChannel } from "../targets/dueChannel.ts"
import { NewTargets } from "./postTargets.ts"

const BatchedPost = Schema.Struct({
  id: PostId,
  workspaceId: WorkspaceId,
  status: PostStatus,
  content: Schema.String,
  scheduledAt: NullableJsonTime,
  tags: Schema.Array(Schema.String),
  overrides: PlatformOverrides,
  settings: PlatformSettings,
  thread: Thread,
  card: Schema.NullOr(LinkCard),
  createdAt: JsonTime,
  byKey: ApiKeyId,
  ...NewTargets.fields,
  dueAt: NullableJsonTime,
  eventId: EventId,
  wakes: Schema.Boolean,
  use: Schema.NullOr(KeyUse)
})
type BatchedPost = typeof BatchedPost.Type

const encodePosts = Schema.encodeSync(
  Schema.fromJsonString(Schema.Array(Schema.Struct({ ...BatchedPost.fields, n: Schema.Int })))
)

const mayUseKey = `(post.use IS NULL OR ${tryLockKey(`post."workspaceId"`, "(post.use ->> 'key')")}
      AND NOT EXISTS (SELECT FROM idempotency_keys u WHERE u.workspace_id = post."workspaceId" AND u.key = post.use ->> 'key' OFFSET 0))`

const storeKeys = `used AS (
    INSERT INTO idempotency_keys (workspace_id, key, author_id, fingerprint, answer, created_at)
    SELECT r."workspaceId", r.use ->> 'key', (r.use ->> 'authorId')::uuid, decode(r.use ->> 'fingerprint', 'hex'), r.use -> 'answer', r."createdAt"
    FROM allowed r WHERE r.use IS NOT NULL
    ON CONFLICT DO NOTHING
    RETURNING workspace_id, key
  )`

// A constant, because a new text per call would be hashed to find its prepared statement. Each row is looked up
// separately, however many posts the planner expects. The statement waits for no lock. It leaves out a post whose
// workspace, key or account is locked or forbids the post, by the checks of `heldRight` and `connectedAccounts`. It
// also leaves out a post whose idempotency key is in use, and so locked, or was used. The insertion finds even a key
// stored after this statement began, but would wait for a transaction that deletes the key.
const statementFor = (withKeys: boolean) => `WITH requested AS MATERIALIZED (
    SELECT post.*, w.followed
    FROM json_to_recordset($1::json) AS post (n int, id uuid, "workspaceId" uuid, status text, content text,
      "scheduledAt" timestamptz, tags text[], overrides jsonb, settings jsonb, thread jsonb, card jsonb,
      "createdAt" timestamptz, "byKey" uuid, platforms text[], "targetIds" uuid[], "dueAt" timestamptz, "eventId" uuid,
      wakes boolean, use jsonb)
    CROSS JOIN LATERAL (
      SELECT ${followed} FROM workspaces w WHERE w.id = post."workspaceId" FOR KEY SHARE SKIP LOCKED) w
    CROSS JOIN LATERAL (
      SELECT k.id FROM api_keys k WHERE k.workspace_id = post."workspaceId" AND k.id = post."byKey"
        AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > post."createdAt")
      FOR SHARE SKIP LOCKED) k
    ${withKeys ? `WHERE ${mayUseKey}` : ""}
  ), connected AS MATERIALIZED (
    SELECT r.id AS post_id, r.workspace_id, r."dueAt", i.*, target.id AS target_id, target.position
    FROM (SELECT r.id, r."workspaceId" AS workspace_id, r."dueAt", r.platforms, r."targetIds" FROM requested r) r
    CROSS JOIN LATERAL unnest(r.platforms, r."targetIds") WITH ORDINALITY AS target (platform, id, position)
    CROSS JOIN LATERAL (
      SELECT i.id AS integration_id, i.platform, i.account_id FROM integrations i
      WHERE i.workspace_id = r.workspace_id AND i.platform = target.platform AND i.status <> 'disconnected'
      FOR KEY SHARE SKIP LOCKED) i
  ), allowed AS MATERIALIZED (
    SELECT r.* FROM requested r
    WHERE (SELECT count(*) FROM connected c WHERE c.post_id = r.id) = cardinality(r.platforms)
  )${withKeys ? `, ${storeKeys}` : ""}, post AS (
    INSERT INTO posts (id, workspace_id, status, content, scheduled_at, tags, platform_overrides, platform_settings, media,
      thread, card, created_at, created_by_key)
    SELECT r.id, r."workspaceId", r.status, r.content, r."scheduledAt", r.tags, r.overrides, r.settings, '[]',
      r.thread, r.card, r."createdAt", r."byKey"
    FROM allowed r${
      withKeys
        ? ` WHERE r.use IS NULL OR EXISTS (
      SELECT FROM used WHERE used.workspace_id = r."workspaceId" AND used.key = r.use ->> 'key')`
        : ""
    }
    RETURNING workspace_id, id, status, revision, scheduled_at
  ), ${recordCreatedPosts}, targets AS (
    INSERT INTO post_targets (id, workspace_id, post_id, integration_id, account_id, platform, position, status, due_since, due_at)
    SELECT c.target_id, c.workspace_id, c.post_id, c.integration_id, c.account_id, c.platform, c.position, 'pending', c."dueAt", c."dueAt"
    FROM connected c JOIN post ON post.id = c.post_id
  )
  SELECT r.id, (SELECT pg_notify('${dueChannel}', '') FROM post JOIN requested r ON r.id = post.id WHERE r.wakes LIMIT 1) AS woken
  FROM post JOIN requested r ON r.id = post.id`

const statement = statementFor(false)
const keyedStatement = statementFor(true)

/** Keeps the first post of each key, and all without a key. Otherwise all posts of a repeated key would be created. */
const withOwnKeys = (posts: ReadonlyArray<BatchedPost>) => {
  const used = new Set<string>()
  return posts.filter(({ use, workspaceId }) => {
    if (use === null) return true
    const name = `${workspaceId}/${use.key}`
    const isFirst = !used.has(name)
    used.add(name)
    return isFirst
  })
}

/**
 * Shares a statement with concurrent posts. If it returns false, nothing changed: create the post alone, which waits or
 * reports the reason. Not for transactions.
 */
export const makeCreateBatchedPost = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const createAll = (posts: ReadonlyArray<BatchedPost>) =>
    Effect.map(
      sql.unsafe<{ readonly id: string }>(posts.some(({ use }) => use !== null) ? keyedStatement : statement, [
        encodePosts(withOwnKeys(posts).map((post, n) => ({ ...post, n })))
      ]),
      (rows) => {
        const created = new Set(rows.map(({ id }) => id))
        return posts.map(({ id }) => Exit.succeed(created.has(id)))
      }
    ).pipe(Effect.provideService(CurrentRequester, "several"), withDatabaseTimeout("creating posts"))
  const { call: createTogether } = makeBatch(batchBounds.createPosts, createAll, {
    ownerOf: ({ workspaceId }) => workspaceId
  })

  return (post: BatchedPost) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (surrounding) =>
      Option.isSome(surrounding) ? Effect.succeed(false) : createTogether(post)
    )
})
