import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber, Option, Result, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CreatorId, GroupId, PostId, type WorkspaceId } from "../../../src/domain/ids.ts"
import type { Author } from "../../../src/domain/people/actor.ts"
import { scopeAuthority } from "../../../src/domain/people/authority.ts"
import type { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import type { PostBatch, PostBatchQuery } from "../../../src/repo/posts/Posts.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"
import { encodePost } from "../../support/http/samplePosts.ts"
import { deletePosts } from "../../support/database/duePosts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { allPosts, makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { someLockIsAwaited } from "../../support/database/programs.ts"
import { failed, published } from "../targets/settlements.ts"
import { makeRecordingTracer } from "../../support/telemetry/capturedTelemetry.ts"
import { makeKey, makeTeam } from "../../support/http/team.ts"
import { planPublish, planUpdate } from "../../support/plans.ts"

const lease = Duration.minutes(3)
const maxBytes = 1e6
const unknown = PostId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba44")

const writer = (workspaceId: WorkspaceId, author: Author) => scopeAuthority({ author, workspaceId }, "posts:write")

layer(repoLayer)("posts", (it) => {
  it.effect("A created post has its targets in the requested order", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const workspace = yield* makeWorkspace()
      const at = DateTime.makeUnsafe("1970-01-02T00:00:00Z")
      const created = yield* posts.create(workspace, {
        ...plan(at, ["bluesky", "twitter"]),
        tags: ["a", 'b,"{}'],
        overrides: { twitter: "Hi" }
      })
      assert.deepStrictEqual(created, {
        id: created.id,
        status: "scheduled",
        scheduled_at: at,
        platforms: ["bluesky", "twitter"]
      })
      const post = yield* posts.get(workspace, created.id)
      assert.deepStrictEqual(
        post.post_targets.map((target) => target.integrations.platform),
        ["bluesky", "twitter"]
      )
      assert.deepStrictEqual(post.tags, ["a", 'b,"{}'])
      assert.deepStrictEqual(post.scheduled_at, at)
      assert.strictEqual(post.post_targets[0]?.status, "pending")
      assert.isNull(post.post_targets[0]?.error)
    })
  )

  it.effect("The text of a post can't be changed if it was due before a restore and was not looked for since", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace()
      const at = DateTime.makeUnsafe("1970-01-02T00:00:00Z")
      const { id } = yield* posts.create(workspace, plan(at))
      const edit = posts.update(workspace, id, (post) => planUpdate(post, { content: "Other" }, DateTime.makeUnsafe(0)))
      const markRestored = (until: string) =>
        sql`UPDATE post_targets SET reconcile_from = due_since - interval '1 hour',
          reconcile_until = due_since + ${until}::interval WHERE post_id = ${id}::uuid`
      yield* markRestored("1 second")
      const refused = yield* Effect.flip(edit)
      assert.strictEqual(refused._tag, "InvalidState")
      yield* markRestored("0 seconds")
      assert.strictEqual((yield* edit).content, "Other")
    })
  )

  it.effect("Creating a post for platforms that are not connected stores nothing and names those platforms", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const workspace = yield* makeWorkspace(["twitter"])
      const error = yield* Effect.flip(posts.create(workspace, plan(null, ["twitter", "bluesky", "linkedin"])))
      assert.strictEqual(error._tag, "IntegrationNotConnected")
      assert.strictEqual(
        error.message,
        "bluesky is not connected in this workspace; linkedin is still in platform review and can't be connected until the service's operator enables it"
      )
      assert.deepStrictEqual(yield* allPosts(workspace), [])
    })
  )

  it.effect("A post for a disconnected account is refused, and the account's earlier posts stay", () =>
    Effect.gen(function* () {
      const { integrations, posts } = yield* Repo
      const workspace = yield* makeWorkspace(["twitter"])
      const earlier = yield* posts.create(workspace, plan(null))
      for (const { id } of yield* integrations.list(workspace)) yield* integrations.disconnect(id)
      const error = yield* Effect.flip(posts.create(workspace, plan(null)))
      assert.strictEqual(error._tag, "IntegrationNotConnected")
      assert.strictEqual((yield* posts.get(workspace, earlier.id)).status, "draft")
    })
  )

  it.effect("Posts are listed newest first, by status, and from a given post on", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const workspace = yield* makeWorkspace()
      const first = yield* posts.create(workspace, plan(null))
      const second = yield* posts.create(workspace, plan(DateTime.makeUnsafe("1971-01-01T00:00:00Z")))
      const third = yield* posts.create(workspace, plan(null))
      const ids = (query: Omit<Parameters<typeof posts.list>[1], "maxBytes">) =>
        Effect.map(posts.list(workspace, { ...query, maxBytes }), (batch) => batch.posts.map((post) => post.id))
      assert.deepStrictEqual(yield* ids({ status: null, limit: 10, before: null }), [third.id, second.id, first.id])
      assert.deepStrictEqual(yield* ids({ status: "draft", limit: 10, before: null }), [third.id, first.id])
      assert.deepStrictEqual(yield* ids({ status: null, limit: 1, before: third.id }), [second.id])
    })
  )

  it.effect("A batch ends with the post that reaches its size, and says whether there are posts after it", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const workspace = yield* makeWorkspace()
      const groupId = GroupId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba46")
      // Each post has about 6 kB of JSON, in its text, tags, overrides or settings, or as control characters.
      const text = "a".repeat(6_000)
      const large = [
        { content: text },
        { tags: [text] },
        { overrides: { twitter: text } },
        { settings: { instagram: { collaborators: [text] } } },
        { content: "\u0001".repeat(1_000) }
      ]
      for (const fields of large) yield* posts.create(workspace, { ...plan(null), ...fields, groupId })
      for (const list of [
        (query: PostBatchQuery) => posts.list(workspace, { ...query, status: null }),
        (query: PostBatchQuery) => posts.listGroup(workspace, groupId, query)
      ]) {
        const sizes: Array<number> = []
        let before: PostId | null = null
        for (;;) {
          const batch: PostBatch = yield* list({ limit: 10, maxBytes: 10_000, before })
          sizes.push(batch.posts.length)
          if (!batch.more) break
          before = batch.posts.at(-1)?.id ?? null
        }
        assert.deepStrictEqual(sizes, [2, 2, 1])
        const limited = yield* list({ limit: 1, maxBytes: 10_000, before: null })
        assert.deepStrictEqual([limited.posts.length, limited.more], [1, true])
        const whole = yield* list({ limit: 5, maxBytes, before: null })
        assert.deepStrictEqual([whole.posts.length, whole.more], [5, false])
      }
    })
  )

  it.effect("Posts that several workspaces read at once go to their own workspaces only", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const owner = yield* makeWorkspace()
      const stranger = yield* makeWorkspace()
      const own = yield* posts.create(owner, plan(null))
      const other = yield* posts.create(stranger, plan(null))
      const reads = [
        posts.getJson(owner, own.id),
        posts.getJson(stranger, own.id),
        posts.getJson(owner, other.id),
        posts.getJson(stranger, other.id),
        posts.getJson(owner, own.id),
        posts.getJson(owner, unknown)
      ]
      const found = yield* Effect.forEach(reads, Effect.result, { concurrency: "unbounded" })
      assert.deepStrictEqual(found.map(Result.match({ onSuccess: ({ id }) => id, onFailure: ({ _tag }) => _tag })), [
        own.id,
        "NotFound",
        "NotFound",
        other.id,
        own.id,
        "NotFound"
      ])
    })
  )

  it.effect("Posts of another workspace can't be read, changed, published or deleted", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const owner = yield* makeWorkspace()
      const stranger = yield* makeWorkspace()
      const { id } = yield* posts.create(owner, plan(null))
      const tags = [
        yield* Effect.flip(posts.get(stranger, id)),
        yield* Effect.flip(posts.update(stranger, id, (post) => planUpdate(post, {}, DateTime.makeUnsafe(0)))),
        yield* Effect.flip(posts.publish(stranger, id, () => Result.succeed(undefined))),
        yield* Effect.flip(posts.remove(stranger, id)),
        yield* Effect.flip(posts.get(owner, unknown))
      ].map((error) => error._tag)
      assert.deepStrictEqual(tags, ["NotFound", "NotFound", "NotFound", "NotFound", "NotFound"])
      assert.strictEqual((yield* posts.get(owner, id)).status, "draft")
    })
  )

  it.effect("An update decides on the stored post and writes the decision", () =>
    Effect.gen(function* () {
      const { posts, targets } = yield* Repo
      const workspace = yield* makeWorkspace()
      const { id } = yield* posts.create(workspace, plan(null))
      const at = DateTime.makeUnsafe("1970-01-01T00:01:00Z")
      const updated = yield* posts.update(workspace, id, (post) => {
        assert.strictEqual(post.status, "draft")
        assert.deepStrictEqual(post.platforms, ["twitter"])
        return Result.succeed({
          ...post,
          status: "scheduled" as const,
          content: "Changed",
          scheduledAt: at,
          tags: ["t"]
        })
      })
      assert.strictEqual(updated.content, "Changed")
      assert.deepStrictEqual(updated.tags, ["t"])
      assert.deepStrictEqual(yield* targets.nextDue(yield* DateTime.now), { isAnyLeft: false, at: Option.some(at) })
      const refused = yield* Effect.flip(posts.update(workspace, id, () => Result.fail("refused" as const)))
      assert.strictEqual(refused, "refused")
      yield* posts.remove(workspace, id)
    })
  )

  it.effect("The next due time is never before a target falls due, also where that is between two milliseconds", () =>
    Effect.gen(function* () {
      const { posts, targets } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      yield* deletePosts
      const workspace = yield* makeWorkspace()
      const due = DateTime.makeUnsafe("2050-01-01T00:01:00Z")
      const { id } = yield* posts.create(workspace, plan(due))
      yield* sql`UPDATE post_targets SET due_at = due_at + interval '400 microseconds' WHERE post_id = ${id}::uuid`
      const { at } = yield* targets.nextDue(yield* DateTime.now)
      assert.deepStrictEqual(at, Option.some(DateTime.addDuration(due, "1 millis")))
      yield* posts.remove(workspace, id)
    })
  )

  it.effect("A post shows the overrides and settings that are stored, its revision, and the key that created it", () =>
    Effect.gen(function* () {
      const { apiKeys, posts } = yield* Repo
      const workspace = yield* makeWorkspace()
      const { id: keyId } = yield* makeKey(workspace)
      const overrides = { bluesky: "For Bluesky" }
      const settings = { twitter: { who_can_reply: "verified" } } as const
      const creator = { type: "key", id: keyId } as const
      const { id } = yield* posts.create(workspace, { ...plan(null), overrides, settings }, writer(workspace, creator))
      const created = yield* posts.get(workspace, id)
      assert.deepInclude(created, { platform_overrides: overrides, platform_settings: settings, revision: 1 })
      const name = (yield* apiKeys.list(workspace))[0]?.name
      assert.deepStrictEqual(created.created_by, { type: "key", id: CreatorId.make(keyId), name: name ?? "" })
      const now = yield* DateTime.now
      const patch = { platform_overrides: { twitter: "For X" }, platform_settings: {} }
      const updated = yield* posts.update(workspace, id, (stored) => {
        assert.deepInclude(stored, { overrides, settings, revision: 1, createdByKey: keyId })
        return planUpdate(stored, patch, now)
      })
      assert.deepInclude(updated, { ...patch, revision: 2 })
      assert.deepStrictEqual(yield* allPosts(workspace), [updated])
    })
  )

  it.effect("A post shows the person who created it by email address, and nobody for a post from before", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const { user, workspaceId } = yield* makeTeam
      const { id } = yield* posts.create(workspaceId, plan(null), writer(workspaceId, { type: "user", id: user.id }))
      assert.deepStrictEqual((yield* posts.get(workspaceId, id)).created_by, {
        type: "user",
        id: CreatorId.make(user.id),
        name: user.email
      })
      const before = yield* posts.create(workspaceId, plan(null))
      assert.isNull((yield* posts.get(workspaceId, before.id)).created_by)
    })
  )

  it.effect("Settings of a later version of the service stay as they are stored, and the post can still be read", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace()
      const { id } = yield* posts.create(workspace, plan(null))
      const later = { mastodon: { a: 1 }, twitter: { who_can_reply: "friends" }, tiktok: { allow_duet: true } }
      yield* sql`UPDATE posts SET platform_settings = ${JSON.stringify(later)}::jsonb WHERE id = ${id}::uuid`
      const now = yield* DateTime.now
      const updated = yield* posts.update(workspace, id, (post) => planUpdate(post, { content: "Changed" }, now))
      assert.deepStrictEqual(updated.platform_settings, { twitter: {}, tiktok: { allow_duet: true } })
      const [row] = yield* sql<{ readonly settings: object }>`
        SELECT platform_settings AS settings FROM posts WHERE id = ${id}::uuid`
      assert.deepStrictEqual(row?.settings, later)
    })
  )

  it.effect("The database encodes posts exactly as the contract's schema does", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const { user, workspaceId } = yield* makeTeam
      const now = yield* DateTime.now
      const text = Array.from({ length: 0x80 }, (_, code) => String.fromCodePoint(code))
        .slice(1)
        .join("")
      const odd = `${text} \u2028\u2029 \uFFFF 😀 é e\u0301 \u202E " \\ </script> "platform_settings":{}`
      const overrides = { bluesky: odd, twitter: "For X", facebook: "" }
      const settings = {
        youtube: { youtube_tags: [odd, "b"], made_for_kids: false, title: odd },
        twitter: { who_can_reply: "verified" },
        bluesky: {}
      } as const
      const groupId = GroupId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba46")
      const keyId = (yield* (yield* Repo).apiKeys.list(workspaceId))[0]?.id
      assert.isDefined(keyId)
      const at = DateTime.makeUnsafe("2030-01-31T09:00:00.070Z")
      const plans = [
        plan(null),
        { ...plan(now), content: odd, tags: [odd, "", "null"], overrides, settings, groupId },
        { ...plan(at, ["bluesky", "twitter"]), settings: { twitter: {} }, overrides: { twitter: odd } }
      ]
      const creators = [
        undefined,
        writer(workspaceId, { type: "key", id: keyId }),
        writer(workspaceId, { type: "user", id: user.id })
      ]
      for (const [index, each] of plans.entries()) yield* posts.create(workspaceId, each, creators[index])
      yield* sql`UPDATE api_keys SET name = ${odd}`
      const states = [
        sql`SET error_code = 'unavailable', error_message = ${odd}, error_retryable = true`,
        sql`SET status = 'failed', error_code = 'gave_up', error_message = '', error_retryable = false, due_at = NULL,
          due_since = NULL, account_id = NULL`,
        sql`SET status = 'published', published_at = '2029-12-31T23:59:59.999999Z', due_at = NULL, due_since = NULL,
          platform_post_url = ${odd}`
      ]
      const texts = Effect.map(posts.list(workspaceId, { status: null, limit: 9, maxBytes, before: null }), (list) =>
        list.posts.map(({ json }) => json)
      )
      for (const state of [sql`SET attempts = 0`, ...states]) {
        yield* sql`UPDATE post_targets ${state} WHERE workspace_id = ${workspaceId}::uuid`
        const encoded = yield* texts
        assert.deepStrictEqual(
          encoded,
          (yield* allPosts(workspaceId)).map((post) => encodePost(post))
        )
        assert.lengthOf(encoded, 3)
        for (const { id } of yield* allPosts(workspaceId)) {
          const { json, revision } = yield* posts.getJson(workspaceId, id)
          assert.include(encoded, json)
          assert.strictEqual(revision, 1)
        }
      }
      const written = (yield* allPosts(workspaceId))[1]
      assert.deepInclude(written, { content: odd, tags: [odd, "", "null"], platform_overrides: overrides })
      assert.deepStrictEqual(written?.platform_settings, settings)
      for (const { id } of yield* allPosts(workspaceId)) yield* posts.remove(workspaceId, id)
    })
  )

  it.effect("Publishing now is a change of the time, and repeating it changes nothing", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const workspace = yield* makeWorkspace()
      const { id } = yield* posts.create(workspace, plan(null))
      const due = yield* posts.publish(workspace, id, planPublish)
      assert.deepInclude(due, { status: "scheduled", revision: 2 })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* posts.publish(workspace, id, planPublish), due)
      yield* posts.remove(workspace, id)
    })
  )

  it.effect("Creating a post takes one statement, and changing and publishing one take two", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const workspace = yield* makeWorkspace()
      const now = yield* DateTime.now
      const { spans, tracer } = yield* makeRecordingTracer
      const count = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          const before = spans.length
          return Effect.map(Effect.provideService(effect, Tracer.Tracer, tracer), (result) => ({
            result,
            statements: spans.slice(before).filter(({ attributes }) => attributes.has("db.query.text")).length
          }))
        })
      const created = yield* count(posts.create(workspace, plan(now)))
      const { id } = created.result
      const patch = { content: "Changed", scheduled_at: now }
      const updated = yield* count(posts.update(workspace, id, (post) => planUpdate(post, patch, now)))
      const published = yield* count(posts.publish(workspace, id, planPublish))
      assert.deepStrictEqual([created.statements, updated.statements, published.statements], [1, 2, 2])
      assert.deepInclude(updated.result, { content: "Changed", revision: 2 })
      assert.deepStrictEqual(yield* posts.get(workspace, id), published.result)
      yield* posts.remove(workspace, id)
    })
  )

  it.effect.each([
    [
      "is changed",
      "UPDATE posts SET content = 'Too long: ' || repeat('x', 300), revision = revision + 1",
      "ContentTooLong"
    ],
    ["is deleted", "DELETE FROM posts", "NotFound"]
  ])("A post that %s while it is ordered to be published is decided on again", ([_, change, refusal]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { posts } = yield* Repo
      const workspace = yield* makeWorkspace()
      const { id } = yield* posts.create(workspace, plan(null))
      const changed = yield* Deferred.make<void>()
      const publishWaits = yield* Deferred.make<void>()
      const writer = yield* sql
        .unsafe(`${change} WHERE id = '${id}'`)
        .pipe(
          Effect.andThen(Deferred.succeed(changed, undefined)),
          Effect.andThen(Deferred.await(publishWaits)),
          sql.withTransaction,
          Effect.forkChild
        )
      yield* Deferred.await(changed)
      const publishing = yield* Effect.forkChild(Effect.flip(posts.publish(workspace, id, planPublish)))
      yield* someLockIsAwaited
      yield* Deferred.succeed(publishWaits, undefined)
      yield* Fiber.join(writer)
      assert.strictEqual((yield* Fiber.join(publishing))._tag, refusal)
      if (refusal !== "NotFound") yield* posts.remove(workspace, id)
    })
  )

  it.effect("Publishing a post now that is being published leaves it as it stands", () =>
    Effect.gen(function* () {
      const { posts, targets } = yield* Repo
      const workspace = yield* makeWorkspace()
      const { id } = yield* posts.create(workspace, plan(yield* DateTime.now))
      const claims = yield* targets.claim(10, lease)
      const publishing = yield* posts.get(workspace, id)
      assert.strictEqual(publishing.status, "publishing")
      assert.deepStrictEqual(yield* posts.publish(workspace, id, planPublish), publishing)
      yield* Effect.forEach(claims, targets.release)
      yield* posts.remove(workspace, id)
    })
  )

  it.effect("A post that is due already keeps its time when it is published now, and a later one becomes due", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const workspace = yield* makeWorkspace()
      const due = DateTime.makeUnsafe("1969-12-31T23:59:00Z")
      for (const [time, expected] of [
        [due, due],
        [DateTime.makeUnsafe("1970-01-01T01:00:00Z"), yield* DateTime.now]
      ] as const) {
        const { id } = yield* posts.create(workspace, plan(time))
        const post = yield* posts.publish(workspace, id, () => Result.succeed(undefined))
        assert.deepStrictEqual(post.scheduled_at, expected)
        yield* posts.remove(workspace, id)
      }
    })
  )

  it.effect("A change of the time leaves targets alone that are published", () =>
    Effect.gen(function* () {
      const { posts, targets } = yield* Repo
      const workspace = yield* makeWorkspace()
      const { id } = yield* posts.create(workspace, plan(yield* DateTime.now, ["twitter", "bluesky"]))
      for (const claim of yield* targets.claim(2, lease)) {
        yield* targets.settle(claim, claim.platform === "twitter" ? published : failed)
      }
      yield* posts.publish(workspace, id, () => Result.succeed(undefined))
      const at = DateTime.makeUnsafe("1970-01-01T01:00:00Z")
      const updated = yield* posts.update(workspace, id, (post) =>
        planUpdate(post, { scheduled_at: at }, DateTime.makeUnsafe(0))
      )
      assert.deepStrictEqual(
        updated.post_targets.map(({ status }) => status),
        ["published", "pending"]
      )
      assert.deepStrictEqual(yield* targets.nextDue(yield* DateTime.now), { isAnyLeft: false, at: Option.some(at) })
      yield* posts.remove(workspace, id)
    })
  )

  it.effect(
    "A group is listed and deleted as a whole, and not deleted at all while one of its posts is in flight",
    () =>
      Effect.gen(function* () {
        const { posts, targets } = yield* Repo
        const workspace = yield* makeWorkspace()
        const groupId = GroupId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba45")
        const now = yield* DateTime.now
        yield* posts.create(workspace, { ...plan(now), groupId })
        yield* posts.create(workspace, { ...plan(null), groupId })
        const listGroup = posts.listGroup(workspace, groupId, { limit: 10, maxBytes, before: null })
        assert.strictEqual((yield* listGroup).posts.length, 2)
        const [claim] = yield* targets.claim(1, lease)
        const error = yield* Effect.flip(posts.removeGroup(workspace, groupId))
        assert.strictEqual(error._tag, "InvalidState")
        assert.strictEqual((yield* listGroup).posts.length, 2)
        if (claim !== undefined) yield* targets.release(claim)
        assert.deepStrictEqual(yield* posts.removeGroup(workspace, groupId), { deleted: 2, leftOnPlatforms: 0 })
        assert.deepStrictEqual(yield* posts.removeGroup(workspace, groupId), { deleted: 0, leftOnPlatforms: 0 })
      })
  )

  it.effect("A group is not deleted whose post is being claimed when the deletion begins", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { posts, targets } = yield* Repo
      const workspace = yield* makeWorkspace()
      const groupId = GroupId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba45")
      const { id } = yield* posts.create(workspace, { ...plan(yield* DateTime.now), groupId })
      const claimed = yield* Deferred.make<ReadonlyArray<Claim>, DatabaseUnavailable>()
      const deletionWaits = yield* Deferred.make<void>()
      const publisher = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.andThen(Deferred.into(targets.claim(1, lease), claimed), Deferred.await(deletionWaits))
        )
      )
      const [claim] = yield* Deferred.await(claimed)
      assert.strictEqual(claim?.postId, id)
      const deletion = yield* Effect.forkChild(Effect.flip(posts.removeGroup(workspace, groupId)))
      yield* someLockIsAwaited
      yield* Deferred.succeed(deletionWaits, undefined)
      yield* Fiber.join(publisher)
      assert.strictEqual((yield* Fiber.join(deletion))._tag, "InvalidState")
      assert.strictEqual((yield* posts.get(workspace, id)).status, "publishing")
    })
  )
})
