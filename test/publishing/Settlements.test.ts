import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId, WorkspaceId } from "../../src/domain/ids.ts"
import type { Settlement } from "../../src/domain/publishing/settlement.ts"
import { Settlements } from "../../src/publishing/Settlements.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { deletePosts, lease } from "../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"

const published: Settlement = { _tag: "Published", publication: { platformPostId: "1", url: null } }

const rejected = (message: string): Settlement => ({
  _tag: "Failed",
  error: { code: "rejected", message, retryable: false }
})

/** Workspaces, each with a due post on both platforms, and the claims of both targets. */
const claimPosts = Effect.fn("claimPosts")(function* (count: number) {
  yield* deletePosts
  const { posts, targets } = yield* Repo
  const now = yield* DateTime.now
  const created = yield* Effect.forEach(Array.from({ length: count }), () =>
    Effect.flatMap(makeWorkspace(), (workspace) =>
      Effect.map(posts.create(workspace, plan(now, ["twitter", "bluesky"])), ({ id }) => ({ workspace, id }))
    )
  )
  const claims = yield* targets.claim(100, lease)
  assert.strictEqual(claims.length, 2 * count)
  return created.map(({ id, workspace }) => {
    const [first, second] = claims.filter(({ postId }) => postId === id)
    if (first === undefined || second === undefined) return assert.fail("A target was not claimed")
    return { workspace, id, first, second }
  })
})

const settleAtOnce = <A, E>(settlements: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.forEach(settlements, Effect.exit, { concurrency: "unbounded" })

/** A post's status, and the types of its workspace's notifications. */
const endOf = Effect.fnUntraced(function* ({
  id,
  workspace
}: {
  readonly id: PostId
  readonly workspace: WorkspaceId
}) {
  const { notifications, posts } = yield* Repo
  const { data } = yield* notifications.page(workspace, 0, 10)
  return [(yield* posts.get(workspace, id)).status, ...data.map(({ type }) => type)]
})

layer(Settlements.layer.pipe(Layer.provideMerge(repoLayer)), { excludeTestServices: true })("Settlements", (it) => {
  it.effect.each(["first", "last"] as const)(
    "A post that fails for its account alone names that, also where this target is settled %s",
    (place) =>
      Effect.gen(function* () {
        const { notifications } = yield* Repo
        const { settle } = yield* Settlements
        const [post] = yield* claimPosts(1)
        if (post === undefined) return assert.fail()
        const fails = settle(post.second, {
          _tag: "Failed",
          error: { code: "needs_reconnect", message: "No", retryable: true }
        })
        const succeeds = settle(post.first, published)
        yield* Effect.all(place === "first" ? [fails, succeeds] : [succeeds, fails])
        const { data } = yield* notifications.page(post.workspace, 0, 10)
        const failure = data.find(({ type }) => type === "post.failed")
        assert.deepInclude(failure?.metadata, { integration_id: post.second.integration.id })
      })
  )

  it.effect("The targets of several posts that end at once roll each post up, and notify of it once", () =>
    Effect.gen(function* () {
      const { settle } = yield* Settlements
      const [whole, half] = yield* claimPosts(2)
      if (whole === undefined || half === undefined) return assert.fail()
      const settled = yield* settleAtOnce([
        settle(half.second, rejected("No")),
        settle(whole.first, published),
        settle(half.first, published),
        settle(whole.second, published)
      ])
      assert.isTrue(settled.every(Exit.isSuccess))
      assert.deepStrictEqual(yield* endOf(whole), ["published", "post.published"])
      assert.deepStrictEqual(yield* endOf(half), ["failed", "post.failed"])
    })
  )

  it.effect("A settlement whose claim was lost fails alone", () =>
    Effect.gen(function* () {
      const { settle } = yield* Settlements
      const { targets } = yield* Repo
      const [post] = yield* claimPosts(1)
      if (post === undefined) return assert.fail()
      yield* targets.release(post.first)
      const [lost, written] = yield* settleAtOnce([settle(post.first, rejected("No")), settle(post.second, published)])
      assert.deepInclude(lost !== undefined && Exit.isFailure(lost) ? lost.cause.reasons[0] : undefined, {
        _tag: "Fail"
      })
      assert.deepStrictEqual(written, Exit.void)
      assert.deepStrictEqual(yield* endOf(post), ["publishing"])
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT type FROM events WHERE post_id = ${post.id}::uuid ORDER BY id`, [
        { type: "post.scheduled" },
        { type: "post.target.published" }
      ])
    })
  )

  it.effect("Two settlements of one target at once are decided one after the other", () =>
    Effect.gen(function* () {
      const { settle } = yield* Settlements
      const [post] = yield* claimPosts(1)
      if (post === undefined) return assert.fail()
      const settled = yield* settleAtOnce([
        settle(post.first, published),
        settle(post.first, rejected("No")),
        settle(post.second, published)
      ])
      assert.deepStrictEqual(settled.map(Exit.isSuccess), [true, false, true])
      assert.deepStrictEqual(yield* endOf(post), ["published", "post.published"])
    })
  )

  it.effect("Of two targets of one account that recognize the same post at once, one gets it", () =>
    Effect.gen(function* () {
      const { settle } = yield* Settlements
      const sql = yield* SqlClient.SqlClient
      const claims = (yield* claimPosts(2)).flatMap(({ first, second }) => [first, second])
      const recognized: Settlement = {
        _tag: "Published",
        publication: { platformPostId: "7", url: null, recognized: true }
      }
      const onOneAccount = claims.filter(({ platform }) => platform === "twitter")
      assert.lengthOf(onOneAccount, 2)
      const settled = yield* settleAtOnce(onOneAccount.map((claim) => settle(claim, recognized)))
      assert.lengthOf(settled.filter(Exit.isSuccess), 1)
      assert.lengthOf(yield* sql`SELECT FROM post_targets WHERE platform_post_id = '7'`, 1)
    })
  )

  it.effect("A settlement that the database can't write fails alone, and the others of its batch are written", () =>
    Effect.gen(function* () {
      const { settle } = yield* Settlements
      const sql = yield* SqlClient.SqlClient
      const [poisoned, other] = yield* claimPosts(2)
      if (poisoned === undefined || other === undefined) return assert.fail()
      const settled = yield* settleAtOnce([
        settle(other.first, published),
        // PostgreSQL can't store this year.
        settle(poisoned.first, {
          _tag: "Retry",
          at: DateTime.makeUnsafe("+250000-01-01T00:00:00Z"),
          error: { code: "unavailable", message: "No", retryable: true }
        }),
        settle(other.second, published)
      ])
      assert.deepStrictEqual(settled.map(Exit.isSuccess), [true, false, true])
      assert.deepStrictEqual(yield* endOf(other), ["published", "post.published"])
      assert.deepStrictEqual(yield* sql`SELECT status FROM post_targets WHERE id = ${poisoned.first.targetId}::uuid`, [
        { status: "publishing" }
      ])
    })
  )

  it.effect(
    "A row that the disk refuses does not keep the others of its batch from being written with the next try",
    () =>
      Effect.gen(function* () {
        const { settle } = yield* Settlements
        const sql = yield* SqlClient.SqlClient
        const [poisoned, other] = yield* claimPosts(2)
        if (poisoned === undefined || other === undefined) return assert.fail()
        yield* sql.unsafe(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not read block 7' USING ERRCODE = '58030'; END $$`)
        yield* sql.unsafe(`CREATE TRIGGER refuse BEFORE UPDATE ON post_targets FOR EACH ROW
        WHEN (NEW.id = '${poisoned.first.targetId}') EXECUTE FUNCTION refuse()`)
        const settlements = [
          settle(other.first, published),
          settle(poisoned.first, published),
          settle(other.second, published)
        ]
        yield* settleAtOnce(settlements)
        const settled = yield* settleAtOnce(settlements)
        assert.deepStrictEqual(settled.map(Exit.isSuccess), [true, false, true])
        assert.deepStrictEqual(yield* endOf(other), ["published", "post.published"])
      }).pipe(
        Effect.ensuring(
          Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.orDie(sql.unsafe("DROP FUNCTION refuse() CASCADE")))
        )
      )
  )

  it.effect("Half of a surrogate pair in an error's message does not keep it from being stored", () =>
    Effect.gen(function* () {
      const { settle } = yield* Settlements
      const [post] = yield* claimPosts(1)
      if (post === undefined) return assert.fail()
      yield* settle(post.first, published)
      yield* settle(post.second, rejected("Cut off: \uD83D"))
      const { notifications } = yield* Repo
      assert.strictEqual((yield* endOf(post))[0], "failed")
      assert.lengthOf((yield* notifications.page(post.workspace, 0, 10)).data, 1)
    })
  )
})
