import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Random } from "effect"
import type { PostId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { deletePosts, lease, makeDuePosts, repeatConcurrently } from "../../support/database/duePosts.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"
import { planPublish, planUpdate } from "../../support/plans.ts"

type Due = Effect.Success<ReturnType<typeof makeDuePosts>>[number]

const postsAtOnce = 6
const rounds = 40

/** Runs an action on due posts while publishers claim them, in many rounds. Returns the posts claimed or changed. */
const race = Effect.fn("race")(function* <E>(rounds: number, change: (post: Due) => Effect.Effect<unknown, E, Repo>) {
  yield* deletePosts
  const { targets } = yield* Repo
  const posts: Array<Due> = []
  const changed = new Set<PostId>()
  const claims: Array<Claim> = []
  const claim = Effect.flatMap(Random.nextBetween(0, 6), (millis) =>
    Effect.delay(targets.claim(postsAtOnce, lease), Duration.millis(millis))
  )
  for (let round = 0; round < rounds; round++) {
    const due = yield* makeDuePosts(postsAtOnce, 1)
    posts.push(...due)
    const changes = Effect.forEach(
      due,
      (post) => Effect.match(change(post), { onFailure: () => {}, onSuccess: () => void changed.add(post.id) }),
      { concurrency: postsAtOnce }
    )
    const [, taken] = yield* Effect.all([changes, repeatConcurrently(3, claim)], { concurrency: 2 })
    claims.push(...taken.flat())
  }
  claims.push(...(yield* targets.claim(posts.length, lease)))
  return { posts, changed, claims, claimed: new Map(claims.map((claim) => [claim.postId, claim])) }
})

/** Fails unless each post was either claimed or changed. */
const assertEither = ({ changed, claimed, claims, posts }: Effect.Success<ReturnType<typeof race>>) => {
  assert.strictEqual(claims.length, claimed.size, "a target was claimed twice")
  const both = posts.filter(({ id }) => claimed.has(id) && changed.has(id))
  const neither = posts.filter(({ id }) => !claimed.has(id) && !changed.has(id))
  assert.deepStrictEqual([both.length, neither.length], [0, 0])
  assert.isAbove(claimed.size, 0)
  assert.isAbove(changed.size, 0)
}

layer(repoLayer, { excludeTestServices: true })("Changes to posts that race claims", (it) => {
  it.effect("A post is either claimed or deleted", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const result = yield* race(rounds, ({ id, workspaceId }) => posts.remove(workspaceId, id))
      assertEither(result)
    })
  )

  it.effect("A post is either claimed or unscheduled", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const result = yield* race(rounds, ({ id, workspaceId }) =>
        Effect.flatMap(DateTime.now, (now) =>
          posts.update(workspaceId, id, (stored) => planUpdate(stored, { status: "draft" }, now))
        )
      )
      assertEither(result)
    })
  )

  it.effect("A post is either claimed or postponed", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const result = yield* race(rounds, ({ id, workspaceId }) =>
        Effect.flatMap(DateTime.now, (now) =>
          posts.update(workspaceId, id, (stored) =>
            planUpdate(stored, { scheduled_at: DateTime.addDuration(now, "1 hour") }, now)
          )
        )
      )
      assertEither(result)
    })
  )

  it.effect("A claim that follows a change of the text has the changed text", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const { changed, claimed } = yield* race(rounds, ({ id, workspaceId }) =>
        Effect.flatMap(DateTime.now, (now) =>
          posts.update(workspaceId, id, (stored) => planUpdate(stored, { content: "Changed" }, now))
        )
      )
      const stale = [...claimed.values()].filter(
        ({ postId, text }) => text !== (changed.has(postId) ? "Changed" : "Hello")
      )
      assert.deepStrictEqual(stale, [])
      assert.isAbove([...claimed.keys()].filter((id) => changed.has(id)).length, 0)
    })
  )

  it.effect("A post that is published now while it is claimed is claimed once", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const result = yield* race(rounds, ({ id, workspaceId }) => posts.publish(workspaceId, id, planPublish))
      assert.strictEqual(result.claims.length, result.posts.length)
      assert.strictEqual(result.claimed.size, result.posts.length)
      assert.isAbove(result.changed.size, 0)
    })
  )
})
