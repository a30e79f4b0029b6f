import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { video } from "../../support/mediaChecks.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const processLease = Duration.seconds(30)

/** A file of a post, as far as claims look at it. */
const addFile = Effect.fnUntraced(function* (
  post: { readonly workspaceId: string; readonly id: string },
  type: string
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH file AS (
      INSERT INTO media (id, workspace_id, status, type, content_type, facts, size, hash, created_at, kept_until)
      VALUES (gen_random_uuid(), ${post.workspaceId}::uuid, 'ready', 'video', ${type}, ${JSON.stringify({ ...video, contentType: type })}::jsonb, 1, sha256('a'), now(), now())
      RETURNING id)
    INSERT INTO post_media (workspace_id, post_id, media_id, position)
    SELECT ${post.workspaceId}::uuid, ${post.id}::uuid, id, 0 FROM file`
})

const makeDuePost = Effect.fnUntraced(function* (platform: LivePlatform, type: string) {
  yield* deletePosts
  const [post] = yield* makeDuePosts(1, 1, platform)
  if (post === undefined) return yield* Effect.die("There is no due post")
  yield* addFile(post, type)
  return post
})

/** The claim of version 0.2.0. Returns the number of claimed targets. */
const claimAsBefore = (target: string, knows: "nothing" | "threads" = "nothing") =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const partToken = knows === "threads" ? sql`, part_token = claim.token` : sql.literal("")
    const rows = yield* sql`
      WITH claim AS (SELECT gen_random_uuid() AS token)
      UPDATE post_targets t SET status = 'publishing', attempts = t.attempts + 1, claim_token = claim.token,
        lease_until = now() + interval '1 minute', owner_id = NULL, owner_token = NULL ${partToken}
      FROM claim WHERE t.id = ${target}::uuid RETURNING t.id`
    return rows.length
  })

const readWait = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ status: Schema.String, seconds: Schema.Finite }))
)

const claim = Effect.flatMap(Repo, ({ targets }) => targets.claim(10, lease))

layer(repoLayer, { excludeTestServices: true })("claims of versions side by side", (it) => {
  it.effect.each(["image/gif", "video/quicktime", "video/webm"])(
    "The version before does not claim a post with %s on Bluesky; it is put off, and this version claims it",
    (type) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { targetId } = yield* makeDuePost("bluesky", type)
        for (const knows of ["nothing", "threads"] as const) {
          assert.strictEqual(yield* claimAsBefore(targetId, knows), 0)
          const [put] = yield* Effect.flatMap(
            sql`SELECT status, extract(epoch FROM due_at - clock_timestamp())::float8 AS seconds FROM post_targets WHERE id = ${targetId}::uuid`,
            readWait
          )
          assert.strictEqual(put?.status, "pending")
          assert.isTrue((put?.seconds ?? 0) > 10 && (put?.seconds ?? 0) <= 15)
          yield* sql`UPDATE post_targets SET due_at = now() - interval '1 second' WHERE id = ${targetId}::uuid`
        }
        const [claimed, ...others] = yield* claim
        assert.deepStrictEqual([claimed?.targetId, others], [targetId, []])
        // The claim is this version's own, so the version before does not take it over after its lease either.
        assert.strictEqual(yield* claimAsBefore(targetId), 0)
      })
  )

  it.effect.each([
    ["bluesky", "image/jpeg"],
    ["bluesky", "video/mp4"],
    ["twitter", "image/gif"],
    ["twitter", "video/quicktime"]
  ] as const)("Both versions claim a post on %s with %s", ([platform, type]) =>
    Effect.gen(function* () {
      const { targetId } = yield* makeDuePost(platform, type)
      assert.strictEqual(yield* claimAsBefore(targetId), 1)
      const before = yield* makeDuePost(platform, type)
      assert.deepStrictEqual(
        (yield* claim).map((one) => one.targetId),
        [before.targetId]
      )
    })
  )

  it.effect("The version before does not upload such a file, and this version does", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { platformUploads, processes } = yield* Repo
      const uploadAsBefore = (target: string) =>
        Effect.map(
          sql`UPDATE post_target_uploads SET status = 'uploading', attempts = attempts + 1, claim_token = gen_random_uuid(),
            owner_id = gen_random_uuid(), lease_until = now() + interval '1 minute', next_at = NULL
            WHERE target_id = ${target}::uuid RETURNING target_id`,
          (rows) => rows.length
        )
      const order = (post: { readonly workspaceId: string; readonly targetId: string }) =>
        sql`INSERT INTO post_target_uploads (workspace_id, target_id, status, start_at, next_at, revision)
          VALUES (${post.workspaceId}::uuid, ${post.targetId}::uuid, 'waiting', now(), now() - interval '1 second', 1)`
      const picture = yield* makeDuePost("bluesky", "image/jpeg")
      yield* order(picture)
      assert.strictEqual(yield* uploadAsBefore(picture.targetId), 1)
      const gif = yield* makeDuePost("bluesky", "image/gif")
      yield* order(gif)
      assert.strictEqual(yield* uploadAsBefore(gif.targetId), 0)
      const [put] = yield* Effect.flatMap(
        sql`SELECT status, extract(epoch FROM next_at - clock_timestamp())::float8 AS seconds FROM post_target_uploads
          WHERE target_id = ${gif.targetId}::uuid`,
        readWait
      )
      assert.strictEqual(put?.status, "waiting")
      assert.isTrue((put?.seconds ?? 0) > 10 && (put?.seconds ?? 0) <= 15)
      yield* sql`UPDATE post_target_uploads SET next_at = now() - interval '1 second' WHERE target_id = ${gif.targetId}::uuid`
      const owner = { ...(yield* processes.renew(null, processLease)), takesOver: false }
      const slots = { perAccount: 1, perHost: 10, platforms: { twitter: 0, bluesky: 10 }, hosts: {} }
      yield* platformUploads.claim(10, lease, { owner, slots })
      const [claimed] = yield* sql`SELECT status FROM post_target_uploads WHERE target_id = ${gif.targetId}::uuid`
      assert.strictEqual(claimed?.["status"], "uploading")
    })
  )

  it.effect("The version before does not read a WebM file, which it would refuse, and this version does", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { media } = yield* Repo
      const { workspaceId } = yield* makeDuePost("twitter", "image/jpeg")
      const upload = (type: string) =>
        sql`INSERT INTO media (id, workspace_id, status, content_type, size, hash, created_at, kept_until, next_at)
          VALUES (gen_random_uuid(), ${workspaceId}::uuid, 'processing', ${type}, 1, sha256('b'), now(), now() + interval '1 day', now() - interval '1 second')`
      yield* upload("video/webm")
      yield* upload("video/mp4")
      const asBefore =
        yield* sql`UPDATE media SET claim_token = gen_random_uuid(), next_at = now() + interval '1 minute',
        attempts = attempts + 1 WHERE workspace_id = ${workspaceId}::uuid AND status = 'processing' RETURNING content_type`
      assert.deepStrictEqual(
        asBefore.map((row) => row["content_type"]),
        ["video/mp4"]
      )
      const [put] = yield* Effect.flatMap(
        sql`SELECT status, extract(epoch FROM next_at - clock_timestamp())::float8 AS seconds FROM media
          WHERE content_type = 'video/webm' AND status = 'processing'`,
        readWait
      )
      assert.isTrue((put?.seconds ?? 0) > 10 && (put?.seconds ?? 0) <= 15)
      yield* sql`UPDATE media SET next_at = now() - interval '1 second' WHERE content_type = 'video/webm' AND status = 'processing'`
      const claimed = yield* media.claim("Process", lease)
      assert.deepInclude(Option.getOrThrow(claimed).step, { _tag: "Process", contentType: "video/webm" })
    })
  )
})
