import { DateTime, Effect, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { InvalidRequest, NotFound } from "../../domain/errors.ts"
import { platformName } from "../../domain/plain/platforms.ts"
import { StoredOverrides, StoredSettings } from "../../domain/posts/platformSettings.ts"
import { TargetError, TargetStatus } from "../../domain/posts/post.ts"
import {
  checkResolvable,
  missingUrl,
  type Resolution,
  restUnsent,
  settleResolution
} from "../../domain/publishing/resolution.ts"
import { checkNamed } from "../../domain/publishing/namedPost.ts"
import { CurrentRules } from "../../platforms/rules.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { targetError } from "../posts/postJson.ts"
import { orUnreadable } from "../posts/storedPosts.ts"
import { Timestamp } from "../postgres/rows.ts"
import { settlePart } from "../../domain/publishing/threadCursor.ts"
import { chainFor, isPartFor, ThreadPart } from "../../domain/posts/thread.ts"
import { recognizedByText } from "./deletedTargets.ts"
import { dueChannel } from "./dueChannel.ts"
import { nextUploads, withPart } from "./publishedParts.ts"
import { makeLockRecognized } from "./recognized.ts"
import { makeRollUpPosts } from "./rollUpPosts.ts"
import { Claim, type Targets } from "./Targets.ts"

const { accountId, attempts, platform, postId, targetId, workspaceId } = Claim.fields

const Key = Schema.Struct({ workspaceId, postId, platform })

export const noTarget = new NotFound({
  message: "There is no such post in this workspace, or it is not for this platform"
})

export const takenUrl = (name: string) =>
  InvalidRequest.because({
    path: ["url"],
    message: `Expected the URL of this post; that URL belongs to another post on ${name}`
  })

export const makeResolve = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rules = yield* CurrentRules
  const { rollUpPosts } = yield* makeRollUpPosts

  const lockPlatformPost = makeLockRecognized(sql)

  const lockPost = SqlSchema.findAll({
    Request: Key,
    Result: Schema.Struct({ id: postId }),
    execute: (key) => sql`
      SELECT id FROM posts WHERE workspace_id = ${key.workspaceId}::uuid AND id = ${key.postId}::uuid FOR UPDATE`
  })

  const lockTarget = SqlSchema.findOne({
    Request: Key,
    Result: Schema.Struct({
      targetId,
      attempts,
      accountId,
      integrationId: Claim.fields.integration.fields.id,
      username: Claim.fields.integration.fields.username,
      isConnected: Schema.Boolean,
      status: TargetStatus,
      error: Schema.NullOr(TargetError),
      isSent: Schema.Boolean,
      isSearched: Schema.Boolean,
      part: Claim.fields.part,
      parentId: Schema.NullOr(Schema.String),
      content: Schema.String,
      overrides: StoredOverrides,
      settings: StoredSettings,
      thread: Schema.Array(ThreadPart.mapFields(Struct.pick(["content", "platform_overrides", "platforms"])))
    }),
    execute: (key) => sql`
      SELECT t.id AS "targetId", t.attempts, coalesce(t.account_id, i.account_id) AS "accountId",
        t.integration_id AS "integrationId", i.username,
        coalesce(t.account_id, i.account_id) = i.account_id AS "isConnected", t.status, t.sent_at IS NOT NULL AS "isSent",
        t.reconcile_from IS NOT NULL AS "isSearched", t.part,
        coalesce(t.parts -> -1 ->> 'id', t.reply_to -> 'parent' ->> 'platformPostId') AS "parentId",
        p.content, p.platform_overrides AS overrides, p.platform_settings AS settings, p.thread,
        ${sql.literal(targetError)} AS error
      FROM post_targets t JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
        JOIN integrations i ON i.workspace_id = t.workspace_id AND i.id = t.integration_id
      WHERE t.workspace_id = ${key.workspaceId}::uuid AND t.post_id = ${key.postId}::uuid AND t.platform = ${key.platform}
      FOR UPDATE OF t`
  })

  const findOwner = SqlSchema.findAll({
    Request: Schema.Struct({
      workspaceId,
      targetId,
      platform,
      accountId,
      id: Schema.String,
      from: Schema.NullOr(Schema.String),
      before: Schema.NullOr(Schema.String)
    }),
    Result: Schema.Struct({ id: targetId }),
    execute: (owned) => sql`
      SELECT t.id FROM post_targets t JOIN integrations i ON i.workspace_id = t.workspace_id AND i.id = t.integration_id
      WHERE t.workspace_id = ${owned.workspaceId}::uuid AND t.platform = ANY(${recognizedByText}::text[]) AND t.platform = ${owned.platform}
        AND t.platform_post_id = ${owned.id} AND coalesce(t.account_id, i.account_id) = ${owned.accountId}
        AND t.id <> ${owned.targetId}::uuid
      UNION ALL
      SELECT t.id FROM post_targets t
      WHERE t.workspace_id = ${owned.workspaceId}::uuid AND t.platform = ${owned.platform}
        AND t.part_ids @> ARRAY[${owned.id}::text] AND t.account_id = ${owned.accountId}
      UNION ALL
      SELECT id FROM post_targets WHERE workspace_id = ${owned.workspaceId}::uuid AND id = ${owned.targetId}::uuid
        AND parts @> jsonb_build_array(jsonb_build_object('id', ${owned.id}::text))
      UNION ALL
      -- The service's own key tells about when its target was created. No index has a platform's other ids, so such a
      -- post may be named for two posts.
      SELECT id FROM post_targets
      WHERE id >= ${owned.from}::uuid AND id < ${owned.before}::uuid AND workspace_id = ${owned.workspaceId}::uuid
        AND platform = ${owned.platform} AND id <> ${owned.targetId}::uuid
        AND (platform_post_id = ${owned.id} OR parts @> jsonb_build_array(jsonb_build_object('id', ${owned.id}::text)))
      UNION ALL
      SELECT id FROM deleted_targets
      WHERE workspace_id = ${owned.workspaceId}::uuid AND platform = ${owned.platform} AND account_id = ${owned.accountId} AND platform_post_id = ${owned.id}`
  })

  const Published = Schema.Struct({
    workspaceId,
    targetId,
    now: Timestamp,
    platformPostId: Schema.NullOr(Schema.String),
    platform,
    url: Schema.NullOr(Schema.String),
    isThread: Schema.Boolean
  })

  /** In a thread the published post `o` joins the published parts; its `cid` is read when the next part replies. */
  const out = ({ isThread, now, platform: name, platformPostId, url }: typeof Published.Encoded) => sql`
      (SELECT ${platformPostId}::text AS id, NULL::text AS cid, ${url}::text AS url, ${now}::timestamptz AS now,
        ${isThread}::boolean AS is_thread, ${isThread}::boolean AND ${name} = ANY(${recognizedByText}::text[])
          AND ${platformPostId}::text IS NOT NULL AS is_known) o`
  const addPart = sql`
      parts = CASE WHEN o.is_thread THEN ${withPart(sql, { id: "o.id", cid: "o.cid", url: "o.url", now: "o.now" })} ELSE t.parts END,
      part_ids = CASE WHEN o.is_known THEN array_append(t.part_ids, o.id) ELSE t.part_ids END`

  const writePublished = SqlSchema.void({
    Request: Published,
    execute: (published) => sql`
      UPDATE post_targets t SET status = 'published', published_at = o.now, ${addPart},
        platform_post_id = CASE WHEN t.part > 1 THEN t.parts -> 0 ->> 'id' ELSE o.id END,
        platform_post_url = CASE WHEN t.part > 1 THEN t.parts -> 0 ->> 'url' ELSE o.url END,
        prepared = CASE WHEN prepared IS NOT NULL THEN '{}'::jsonb END, resend_ordered = false,
        part_uploads = NULL, reconcile_text = NULL, error_code = NULL, error_message = NULL, error_retryable = NULL
      FROM ${out(published)}
      WHERE t.workspace_id = ${published.workspaceId}::uuid AND t.id = ${published.targetId}::uuid`
  })

  // The rest of a thread is sent only if the person says so, because days may have passed.
  const writeContinued = SqlSchema.void({
    Request: Schema.Struct({ ...Published.fields, continues: Schema.Boolean, ...TargetError.fields }),
    execute: ({ code, continues, message, retryable, ...published }) => sql`
      UPDATE post_targets t SET part = t.part + 1, ${addPart}, prepared = ${nextUploads(sql)},
        part_uploads = t.part_uploads - (t.part + 1)::text, attempts = 0, looks = 0, sent_at = NULL, send_token = NULL,
        resend_ordered = false, reconcile_text = NULL, status = CASE WHEN ${continues}::boolean THEN 'pending' ELSE 'failed' END,
        due_at = CASE WHEN ${continues}::boolean THEN least(o.now, clock_timestamp()) END,
        due_since = CASE WHEN ${continues}::boolean THEN least(o.now, clock_timestamp()) END,
        error_code = CASE WHEN NOT ${continues}::boolean THEN ${code} END,
        error_message = CASE WHEN NOT ${continues}::boolean THEN ${message} END,
        error_retryable = CASE WHEN NOT ${continues}::boolean THEN ${retryable}::boolean END
      FROM ${out(published)}
      WHERE t.workspace_id = ${published.workspaceId}::uuid AND t.id = ${published.targetId}::uuid`
  })

  // The next attempt looks for the unseen send, because a platform may show it late. Otherwise it sends the post. It
  // looks back at most a day: the person has seen older posts, and a timeline may be too long. Where no look is
  // possible, the person's word decides: the post is sent as if it never had been.
  const writeNotPublished = SqlSchema.void({
    Request: Schema.Struct({ workspaceId, targetId, now: Timestamp, isSought: Schema.Boolean, ...TargetError.fields }),
    execute: ({ code, isSought, message, now, retryable, targetId: id, workspaceId: workspace }) => sql`
      UPDATE post_targets SET sent_at = NULL, prepared = NULL, part_uploads = NULL, looks = 0, resend_ordered = false,
        reconcile_from = CASE WHEN ${isSought}::boolean THEN
          greatest(coalesce(least(sent_at, reconcile_from), ${now}::timestamptz),
            least(${now}::timestamptz, clock_timestamp()) - interval '1 day') END,
        reconcile_until = NULL, reconcile_text = NULL,
        error_code = ${code}, error_message = ${message}, error_retryable = ${retryable}
      WHERE workspace_id = ${workspace}::uuid AND id = ${id}::uuid`
  })

  const write = Effect.fnUntraced(function* (key: typeof Key.Type, resolution: Resolution) {
    const found = resolution.outcome === "published" ? resolution.post : null
    if (found !== null) yield* lockPlatformPost(found.key)
    yield* lockPost(key)
    const { thread, ...target } = yield* orUnreadable(key.postId)(lockTarget(key))
    const cursor = { part: target.part, parts: 1 + thread.filter((part) => isPartFor(key.platform, part)).length }
    yield* Effect.fromResult(checkResolvable(key.platform, { ...target, ...cursor }))
    if (found !== null) {
      const { accountId: account, isConnected, parentId, username: handle } = target
      const known = { accountId: account, username: isConnected ? handle : null, parentId }
      yield* Effect.fromResult(checkNamed(rules, key.platform, key.postId, known, found))
    }
    const settlement = settleResolution(rules, key.platform, target.accountId, resolution, cursor)
    const now = yield* DateTime.now
    if (settlement._tag === "Published" && resolution.outcome === "published") {
      const { platformPostId: id, url } = settlement.publication
      const ids = found === null ? undefined : rules[key.platform]?.targetIds?.(found.key)
      const [from, before] = ids ?? [null, null]
      const owners = id === null ? [] : yield* findOwner({ ...key, ...target, id, from, before })
      if (owners.length > 0) return yield* takenUrl(platformName(key.platform))
      const isThread = thread.length > 0
      const published = { ...key, targetId: target.targetId, now, platformPostId: id, url, isThread }
      if (cursor.part === cursor.parts) yield* writePublished(published)
      else if (id === null) return yield* missingUrl(cursor)
      else {
        const { continues } = resolution
        yield* writeContinued({ ...published, continues, ...restUnsent(cursor) })
        if (continues) yield* sql`SELECT pg_notify(${dueChannel}, '')`
      }
    } else if (settlement._tag === "Failed") {
      const { accountId: account, content, overrides, settings, targetId: id } = target
      const part = chainFor(key.platform, { content, overrides, media: [], thread })[cursor.part - 1]
      const known = { accountId: account, settings, text: part?.text ?? "" }
      const isSought = rules[key.platform]?.canBeFound?.(known) !== false
      yield* writeNotPublished({ ...key, targetId: id, now, isSought, ...settlement.error })
    }
    const posts = yield* rollUpPosts([key], now)
    const { attempts: made, integrationId: id, username } = target
    const ended = settlement._tag === "Published" ? settlePart(settlement, cursor, null) : settlement
    return {
      posts,
      resolved: {
        claim: { ...key, part: cursor.part, attempts: made, integration: { id, username } },
        settlement: ended
      }
    }
  })

  const resolve: Targets["resolve"] = Effect.fn("Repo.targets.resolve")((key, resolution) =>
    sql.withTransaction(write(key, resolution)).pipe(
      Effect.catchTag("NoSuchElementError", () => Effect.fail(noTarget)),
      withDatabaseTimeout("resolving a target")
    )
  )
  return resolve
})
