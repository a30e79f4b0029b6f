import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Option, Result } from "effect"
import { GroupId, PostId } from "../../../src/domain/ids.ts"
import { planUpdate } from "../../../src/domain/postPlan.ts"
import type { PostBatch, PostBatchQuery } from "../../../src/repo/posts/Posts.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { allPosts, makeWorkspace, plan } from "../../support/database/fixtures.ts"

const lease = Duration.minutes(3)
const maxBytes = 1e6
const unknown = PostId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba44")

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

  it.effect("Creating a post for platforms that are not connected stores nothing and names those platforms", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const workspace = yield* makeWorkspace(["twitter"])
      const error = yield* Effect.flip(posts.create(workspace, plan(null, ["twitter", "bluesky", "linkedin"])))
      assert.strictEqual(error._tag, "IntegrationNotConnected")
      assert.strictEqual(
        error.message,
        "bluesky is not connected in this workspace; linkedin is still in platform review and can't be connected yet"
      )
      assert.deepStrictEqual(yield* allPosts(workspace), [])
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
      // Each is about 6 kB of JSON: in the text, the tags, the overrides, the settings, and as control characters.
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
        return Result.succeed({ status: "scheduled" as const, content: "Changed", scheduledAt: at, tags: ["t"] })
      })
      assert.strictEqual(updated.content, "Changed")
      assert.deepStrictEqual(updated.tags, ["t"])
      assert.deepStrictEqual(yield* targets.nextDue, Option.some(at))
      const refused = yield* Effect.flip(posts.update(workspace, id, () => Result.fail("refused" as const)))
      assert.strictEqual(refused, "refused")
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
        assert.strictEqual(yield* posts.removeGroup(workspace, groupId), 2)
        assert.strictEqual(yield* posts.removeGroup(workspace, groupId), 0)
      })
  )
})
