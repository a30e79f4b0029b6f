import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CreatorId, GroupId, PostId } from "../../../src/domain/ids.ts"
import { planPublish, planUpdate } from "../../../src/domain/postPlan.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { makeKey, makeTeam } from "../../support/http/team.ts"

const lease = Duration.minutes(3)
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
      assert.deepStrictEqual(yield* posts.list(workspace, { status: null, limit: 10, before: null }), [])
    })
  )

  it.effect("Posts are listed newest first, by status, and from a given post on", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const workspace = yield* makeWorkspace()
      const first = yield* posts.create(workspace, plan(null))
      const second = yield* posts.create(workspace, plan(DateTime.makeUnsafe("1971-01-01T00:00:00Z")))
      const third = yield* posts.create(workspace, plan(null))
      const ids = (query: Parameters<typeof posts.list>[1]) =>
        Effect.map(posts.list(workspace, query), (found) => found.map((post) => post.id))
      assert.deepStrictEqual(yield* ids({ status: null, limit: 10, before: null }), [third.id, second.id, first.id])
      assert.deepStrictEqual(yield* ids({ status: "draft", limit: 10, before: null }), [third.id, first.id])
      assert.deepStrictEqual(yield* ids({ status: null, limit: 1, before: third.id }), [second.id])
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
      assert.deepStrictEqual(yield* targets.nextDue, Option.some(at))
      const refused = yield* Effect.flip(posts.update(workspace, id, () => Result.fail("refused" as const)))
      assert.strictEqual(refused, "refused")
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
      const { id } = yield* posts.create(workspace, { ...plan(null), overrides, settings }, creator)
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
      assert.deepStrictEqual(yield* posts.list(workspace, { status: null, limit: 10, before: null }), [updated])
    })
  )

  it.effect("A post shows the person who created it by email address, and nobody for a post from before", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const { user, workspaceId } = yield* makeTeam
      const { id } = yield* posts.create(workspaceId, plan(null), { type: "user", id: user.id })
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
        const listed = yield* posts.listGroup(workspace, groupId)
        assert.lengthOf(listed, 2)
        assert.deepStrictEqual(yield* posts.listGroup(workspace, groupId, 1), listed.slice(0, 1))
        const [claim] = yield* targets.claim(1, lease)
        const error = yield* Effect.flip(posts.removeGroup(workspace, groupId))
        assert.strictEqual(error._tag, "InvalidState")
        assert.strictEqual((yield* posts.listGroup(workspace, groupId)).length, 2)
        if (claim !== undefined) yield* targets.release(claim)
        assert.strictEqual(yield* posts.removeGroup(workspace, groupId), 2)
        assert.strictEqual(yield* posts.removeGroup(workspace, groupId), 0)
      })
  )
})
