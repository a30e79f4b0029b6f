import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Random } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../src/domain/ids.ts"
import { planCopy } from "../../../src/domain/posts/copyPlan.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makePrng } from "../../simulation/prng.ts"
import { makeEditor, makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { interleave } from "../../support/database/interleave.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { planPublish } from "../../support/plans.ts"

const epoch = DateTime.makeUnsafe(0)
const platforms = ["twitter", "bluesky"] as const
type Copyable = ReadonlyArray<(typeof platforms)[number]>

/** The actions of people and the publisher on copies of a post's copies. */
const start = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { posts } = yield* Repo
  const workspaceId = yield* makeWorkspace()
  const by = yield* makeEditor(workspaceId)
  const create = Effect.map(posts.create(workspaceId, { ...plan(epoch), platforms: [...platforms] }), ({ id }) => id)
  /**
   * Ends the attempt to publish a post: it is published on these platforms and refused on its other pending platforms.
   */
  const attempt = Effect.fnUntraced(function* (id: PostId, published: Copyable = []) {
    yield* sql`UPDATE post_targets SET status = 'published', published_at = now(), due_at = NULL, due_since = NULL
      WHERE post_id = ${id}::uuid AND status = 'pending' AND platform = ANY(${published}::text[])`
    yield* sql`UPDATE post_targets SET status = 'failed', due_at = NULL, due_since = NULL, error_code = 'rejected',
      error_message = 'Refused', error_retryable = false WHERE post_id = ${id}::uuid AND status = 'pending'`
    yield* sql`UPDATE posts SET scheduled_at = coalesce(scheduled_at, now()),
      status = CASE WHEN all_out THEN 'published' ELSE 'failed' END, published_at = CASE WHEN all_out THEN now() END
      FROM (SELECT bool_and(status = 'published') AS all_out FROM post_targets WHERE post_id = ${id}::uuid) targets
      WHERE id = ${id}::uuid`
  })
  const copy = (id: PostId, named?: Copyable) =>
    Effect.map(
      posts.copy(
        workspaceId,
        id,
        (post, library) => planCopy(post, { what: "missing", ...(named && { platforms: named }) }, library),
        by
      ),
      ({ post }) => post.id
    )
  const publish = (id: PostId) => Effect.asVoid(posts.publish(workspaceId, id, (post) => planPublish(post)))
  const remove = (id: PostId) => Effect.asVoid(posts.remove(workspaceId, id))
  const removeAtOnce = (ids: ReadonlyArray<PostId>) =>
    sql`DELETE FROM posts WHERE workspace_id = ${workspaceId}::uuid AND id = ANY(${ids}::uuid[])`
  /** The copy that has taken over a post's target on X. */
  const copiedTo = (id: PostId) =>
    Effect.map(posts.get(workspaceId, id), ({ post_targets }) => post_targets[0]?.copied_to)
  /** A post, its copy, and copies of copies. All but the last were refused on every platform. */
  const chain = Effect.gen(function* () {
    const ids = [yield* create]
    for (let copies = 1; copies < 4; copies++) {
      const last = ids[copies - 1] ?? (yield* Effect.die("The chain has no last post"))
      yield* attempt(last)
      ids.push(yield* copy(last))
    }
    const [a, b, c, d] = ids
    if (a === undefined || b === undefined || c === undefined || d === undefined) return yield* Effect.die("Too short")
    return { a, b, c, d }
  })
  return { sql, posts, workspaceId, create, attempt, copy, publish, remove, removeAtOnce, copiedTo, chain }
})

const refused = (exit: Exit.Exit<unknown, { readonly _tag: string }>) =>
  Exit.isFailure(exit) && String(exit.cause).includes("InvalidState")

/** All orders of the items. */
const orders = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))

layer(repoLayer)("copies of copies of what is missing", (it) => {
  it.effect("What a deleted copy had taken over is handed on to the copy of that copy", () =>
    Effect.gen(function* () {
      const { attempt, chain, copiedTo, copy, publish, remove } = yield* start
      const { a, b, c, d } = yield* chain
      yield* remove(b)
      assert.strictEqual(yield* copiedTo(a), c)
      yield* remove(c)
      assert.strictEqual(yield* copiedTo(a), d)
      yield* attempt(d, platforms)
      assert.isTrue(refused(yield* Effect.exit(publish(a))))
      assert.isTrue(refused(yield* Effect.exit(copy(a))))
      yield* remove(d)
      assert.strictEqual(yield* copiedTo(a), d)
      assert.isTrue(refused(yield* Effect.exit(publish(a))))
    })
  )

  it.effect("Once all copies are deleted with nothing sent, in any order, the post can be published again", () =>
    Effect.gen(function* () {
      const { chain, copiedTo, publish, remove } = yield* start
      for (const order of orders(["b", "c", "d"] as const)) {
        const ids = yield* chain
        for (const name of order) {
          assert.isNotNull(yield* copiedTo(ids.a), order.join())
          yield* remove(ids[name])
        }
        assert.isNull(yield* copiedTo(ids.a), order.join())
        yield* publish(ids.a)
      }
    })
  )

  it.effect(
    "One statement that deletes several copies gives a target back, or hands it on to the copy that is left",
    () =>
      Effect.gen(function* () {
        const { attempt, chain, copiedTo, removeAtOnce } = yield* start
        for (const order of orders(["b", "c", "d"] as const)) {
          const whole = yield* chain
          yield* removeAtOnce(order.map((name) => whole[name]))
          assert.isNull(yield* copiedTo(whole.a), order.join())
          const part = yield* chain
          const [first, second, left] = order.map((name) => part[name])
          if (first === undefined || second === undefined || left === undefined) return yield* Effect.die("Too short")
          yield* removeAtOnce([first, second])
          assert.strictEqual(yield* copiedTo(part.a), left, order.join())
          const sent = yield* chain
          yield* attempt(sent.d, platforms)
          yield* removeAtOnce(order.map((name) => sent[name]))
          assert.isNotNull(yield* copiedTo(sent.a), order.join())
        }
      })
  )

  it.effect(
    "A copy that is deleted while it is copied hands on to that copy, and can't be copied while it is deleted",
    () =>
      Effect.gen(function* () {
        const { attempt, copiedTo, copy, create, remove } = yield* start
        const a = yield* create
        yield* attempt(a)
        const b = yield* copy(a)
        yield* attempt(b)
        const [c] = yield* interleave(copy(b), remove(b))
        assert.strictEqual(yield* copiedTo(a), c)
        yield* attempt(c)
        const [, copied] = yield* interleave(remove(c), copy(c))
        assert.isTrue(Exit.isFailure(copied))
        assert.isNull(yield* copiedTo(a))
      })
  )

  it.effect("Copies that are deleted at once, in any order, give the target back", () =>
    Effect.gen(function* () {
      const { chain, copiedTo, remove } = yield* start
      for (const [first, second, third] of orders(["b", "c", "d"] as const)) {
        if (first === undefined || second === undefined || third === undefined) return yield* Effect.die("Too short")
        const ids = yield* chain
        const [, removed] = yield* interleave(remove(ids[first]), remove(ids[second]))
        assert.isTrue(Exit.isSuccess(removed), `${first}, ${second}`)
        assert.strictEqual(yield* copiedTo(ids.a), ids[third], `${first}, ${second}`)
        yield* remove(ids[third])
        assert.isNull(yield* copiedTo(ids.a), `${first}, ${second}, ${third}`)
      }
    })
  )

  it.effect(
    "A copy that is published while the one before is deleted, or the other way around, holds the original",
    () =>
      Effect.gen(function* () {
        const { attempt, chain, copiedTo, publish, remove } = yield* start
        for (const isFirst of [true, false]) {
          const { a, c, d } = yield* chain
          const [, other] = isFirst
            ? yield* interleave(remove(c), publish(d))
            : yield* interleave(publish(d), remove(c))
          assert.isTrue(Exit.isSuccess(other))
          yield* attempt(d, platforms)
          assert.isNotNull(yield* copiedTo(a))
          assert.isTrue(refused(yield* Effect.exit(publish(a))))
        }
      })
  )

  it.effect("Whatever is copied, refused, published and deleted, one post with the text is out or can go out", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= 30; seed++) {
        yield* Effect.gen(function* () {
          const { attempt, copy, create, publish, remove, removeAtOnce, sql, workspaceId } = yield* start
          const { between, chance, pick } = yield* makePrng
          const some = () => platforms.filter(() => chance(0.5))
          const original = yield* create
          const done: Array<string> = []
          /** The publications of deleted posts. */
          const out: Array<string> = []
          const live = sql<{ readonly id: PostId; readonly status: string }>`
            SELECT id, status FROM posts WHERE workspace_id = ${workspaceId}::uuid ORDER BY id`
          const forget = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>) {
            const rows = yield* sql<{ readonly platform: string }>`
              SELECT platform FROM post_targets WHERE post_id = ANY(${ids}::uuid[]) AND status = 'published'`
            out.push(...rows.map(({ platform }) => platform))
          })
          for (let step = 0; step < 25; step++) {
            const rows = yield* live
            const [first, ...others] = rows
            if (first === undefined) break
            // Often picks the last post, so that chains become long.
            const { id, status } = chance(0.5) ? (others.at(-1) ?? first) : pick([first, ...others])
            const action = pick([
              "copy",
              "copy",
              "copy",
              "publish",
              "publish",
              "attempt",
              "attempt",
              "attempt",
              "delete",
              "deleteMany"
            ])
            done.push(`${action} ${rows.findIndex((row) => row.id === id)}`)
            if (action === "copy") {
              const named = some()
              yield* Effect.exit(copy(id, named.length === 0 ? undefined : named))
            } else if (action === "publish") {
              yield* Effect.exit(publish(id))
            } else if (action === "attempt" && status === "scheduled") {
              yield* attempt(id, chance(0.8) ? [] : some())
            } else if (action === "delete" && (id !== original || chance(0.2))) {
              yield* forget([id])
              yield* remove(id)
            } else if (action === "deleteMany") {
              const ids = rows.flatMap((row) => (row.id !== original && chance(0.3) ? [row.id] : []))
              if (between(0, 1) === 1) ids.reverse()
              yield* forget(ids)
              yield* removeAtOnce(ids)
            }
            const targets = yield* sql<{ readonly platform: string; readonly counts: boolean }>`
              SELECT platform, status = 'published' OR copied_to IS NULL AS counts FROM post_targets
              WHERE workspace_id = ${workspaceId}::uuid`
            for (const platform of platforms) {
              const here = targets.filter((target) => target.platform === platform)
              const count = here.filter(({ counts }) => counts).length + out.filter((each) => each === platform).length
              const isKnown = here.length > 0 || count > 0
              assert.strictEqual(count, isKnown ? 1 : 0, `${platform} with seed ${seed} after ${done.join(", ")}`)
            }
          }
        }).pipe(Random.withSeed(seed))
      }
    })
  )
})
