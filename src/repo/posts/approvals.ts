import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { InvalidState } from "../../domain/errors.ts"
import { PlatformOverrides } from "../../domain/posts/platformSettings.ts"
import { Thread } from "../../domain/posts/thread.ts"
import type { PostChange } from "../../domain/posts/postPlan.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeDecisions } from "./decisions.ts"
import type { Posts, RequestedRevision } from "./Posts.ts"
import { PostKey } from "./rows.ts"
import { makeStoredPosts } from "./storedPosts.ts"
import { makeUpdatePost } from "./updatePost.ts"

const wasRejected = (reason: string) =>
  new InvalidState({ message: `This revision was rejected: ${reason}. Change the post before you ask again` })

/** A post keeps its last request for approval and the previous one. */
export const makeApprovals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { lock, show } = yield* makeStoredPosts
  const { write } = yield* makeUpdatePost
  const { outdated, recordDecision } = yield* makeDecisions

  // A revision that was approved and made a draft again can be requested again.
  const storeRequest = SqlSchema.findOne({
    Request: Schema.Struct({
      ...PostKey.fields,
      revision: Schema.Int,
      content: Schema.String,
      overrides: Schema.fromJsonString(PlatformOverrides),
      thread: Schema.fromJsonString(Thread),
      now: Timestamp
    }),
    Result: Schema.Struct({ requested: Schema.Boolean, rejectedFor: Schema.NullOr(Schema.String) }),
    execute: ({ content, id, now, overrides, revision, thread, workspaceId }) => sql`
      WITH former AS (
        SELECT status, reason FROM post_approvals
        WHERE workspace_id = ${workspaceId}::uuid AND post_id = ${id}::uuid AND revision = ${revision}::int
      ), post AS (
        UPDATE posts SET approval_requested_revision = ${revision}::int
        WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid
          AND (approval_requested_revision IS DISTINCT FROM ${revision}::int
            OR EXISTS (SELECT FROM former WHERE status = 'approved'))
        RETURNING workspace_id, id
      ), removed AS (
        DELETE FROM post_approvals WHERE ${outdated(revision, { id, workspaceId })}
      ), stored AS (
        INSERT INTO post_approvals (workspace_id, post_id, revision, status, requested_at, content, platform_overrides, thread)
        SELECT workspace_id, id, ${revision}::int, 'requested', ${now}::timestamptz, ${content}, ${overrides}::jsonb, ${thread}::jsonb
        FROM post
        ON CONFLICT (workspace_id, post_id, revision) DO UPDATE SET status = excluded.status,
          requested_at = excluded.requested_at, decided_at = NULL, decided_by_key = NULL, decided_by_user = NULL
      )
      SELECT EXISTS (SELECT FROM post) AS requested,
        (SELECT reason FROM former WHERE status = 'rejected') AS "rejectedFor"`
  })

  const request = Effect.fnUntraced(function* (key: PostKey, requested: RequestedRevision) {
    const stored = yield* storeRequest({ ...key, ...requested, now: yield* DateTime.now })
    if (stored.rejectedFor !== null) return yield* wasRejected(stored.rejectedFor)
    return stored.requested
  })

  const requestApproval: Posts["requestApproval"] = Effect.fn("Repo.posts.requestApproval")(
    (workspaceId, id, requested) =>
      request({ workspaceId, id }, requested).pipe(
        Effect.catchTag(["NoSuchElementError", "InvalidState"], Effect.die),
        Effect.asVoid,
        withDatabaseTimeout("requesting approval")
      )
  )

  const updateForApproval: Posts["updateForApproval"] = Effect.fn("Repo.posts.updateForApproval")(
    function* (workspaceId, id, decide, options) {
      const key = { workspaceId, id }
      let requested = false
      const alongside = (change: PostChange) =>
        Effect.map(request(key, change), (isFirst) => {
          requested = isFirst
        })
      const post = yield* write(key, { ...options, decide, alongside })
      return { post, requested }
    },
    sql.withTransaction,
    Effect.catchTag("NoSuchElementError", Effect.die),
    withDatabaseTimeout("updating a post")
  )

  const findRejection = SqlSchema.findOneOption({
    Request: Schema.Struct({ ...PostKey.fields, revision: Schema.Int }),
    Result: Schema.Struct({ reason: Schema.String }),
    execute: ({ id, revision, workspaceId }) => sql`
      SELECT coalesce(reason, '') AS reason FROM post_approvals WHERE workspace_id = ${workspaceId}::uuid
        AND post_id = ${id}::uuid AND revision = ${revision}::int AND status = 'rejected'`
  })

  /** A separate statement after the lock sees a decision that was made while this waited. */
  const lockForDecision = Effect.fnUntraced(function* (key: PostKey) {
    const post = yield* lock(key)
    const rejection = yield* findRejection({ ...key, revision: post.revision })
    return { ...post, rejectedFor: Option.match(rejection, { onNone: () => null, onSome: ({ reason }) => reason }) }
  })

  const approve: Posts["approve"] = Effect.fn("Repo.posts.approve")(
    function* (workspaceId, id, by, decide, findSlot) {
      const key = { workspaceId, id }
      const { rejectedFor } = yield* lockForDecision(key)
      return yield* write(key, {
        by,
        ...(findSlot !== undefined && { findSlot }),
        decide: (post, library, slotAt) => decide({ ...post, rejectedFor }, library, slotAt),
        alongside: (change, before) => recordDecision(key, before, { ...change, status: "approved" }, by.author)
      })
    },
    sql.withTransaction,
    Effect.catchTag(["NoSuchElementError", "IntegrationNotConnected"], Effect.die),
    withDatabaseTimeout("approving a post")
  )

  const reject: Posts["reject"] = Effect.fn("Repo.posts.reject")(
    function* (workspaceId, id, { by, reason }, decide) {
      const key = { workspaceId, id }
      const post = yield* lockForDecision(key)
      yield* Effect.fromResult(decide(post))
      yield* recordDecision(key, post, { ...post, status: "rejected", reason }, by)
      return yield* show(key)
    },
    sql.withTransaction,
    Effect.catchTag("NoSuchElementError", Effect.die),
    withDatabaseTimeout("rejecting a post")
  )

  return { requestApproval, updateForApproval, approve, reject } satisfies Partial<Posts>
})
