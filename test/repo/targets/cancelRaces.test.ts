import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Random } from "effect"
import type { PostId } from "../../../src/domain/ids.ts"
import { planPublish, planUpdate } from "../../../src/domain/postPlan.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"
import { repoLayer } from "../../support/database.ts"
import { atOnce, clear, lease, makeDue } from "../../support/due.ts"

type Due = Effect.Success<ReturnType<typeof makeDue>>[number]

const postsAtOnce = 6
const rounds = 70

/** Lets people do something to due posts while publishers claim them, again and again; answers who came first. */
const race = Effect.fn("race")(function* <E>(rounds: number, act: (post: Due) => Effect.Effect<unknown, E, Repo>) {
  yield* clear
  const { targets } = yield* Repo
  const posts: Array<Due> = []
  const done = new Set<PostId>()
  const claims: Array<Claim> = []
  const claim = Effect.flatMap(Random.nextBetween(0, 6), (millis) =>
    Effect.delay(targets.claim(postsAtOnce, lease), Duration.millis(millis))
  )
  for (let round = 0; round < rounds; round++) {
    const due = yield* makeDue(postsAtOnce, 1)
    posts.push(...due)
    const people = Effect.forEach(
      due,
      (post) => Effect.match(act(post), { onFailure: () => {}, onSuccess: () => void done.add(post.id) }),
      { concurrency: postsAtOnce }
    )
    const [, taken] = yield* Effect.all([people, atOnce(3, claim)], { concurrency: 2 })
    claims.push(...taken.flat())
  }
  claims.push(...(yield* targets.claim(posts.length, lease)))
  return { posts, done, claims, taken: new Map(claims.map((one) => [one.postId, one])) }
})

/** Each post was either claimed or acted on, and not both. */
const assertEither = ({ claims, done, posts, taken }: Effect.Success<ReturnType<typeof race>>) => {
  assert.strictEqual(claims.length, taken.size, "a target was claimed twice")
  const both = posts.filter(({ id }) => taken.has(id) && done.has(id))
  const neither = posts.filter(({ id }) => !taken.has(id) && !done.has(id))
  assert.deepStrictEqual([both.length, neither.length], [0, 0])
  assert.isAbove(taken.size, 0)
  assert.isAbove(done.size, 0)
}
layer(repoLayer, { excludeTestServices: true })("Posts that people change while they are claimed", (it) => {
  it.effect("a post is claimed or deleted, never both", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const result = yield* race(rounds, ({ id, workspaceId }) => posts.remove(workspaceId, id))
      assertEither(result)
    })
  )

  it.effect("a post is claimed or taken back to a draft, never both", () =>
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

  it.effect("a post is claimed or put off, never both", () =>
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

  it.effect("what is claimed after a text was changed is the new text", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const { done, taken } = yield* race(rounds, ({ id, workspaceId }) =>
        Effect.flatMap(DateTime.now, (now) =>
          posts.update(workspaceId, id, (stored) => planUpdate(stored, { content: "Changed" }, now))
        )
      )
      const stale = [...taken.values()].filter(({ postId, text }) => text !== (done.has(postId) ? "Changed" : "Hello"))
      assert.deepStrictEqual(stale, [])
      assert.isAbove([...taken.keys()].filter((id) => done.has(id)).length, 0)
    })
  )

  it.effect("a post that is claimed and ordered to be published now at once is claimed once", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const result = yield* race(rounds, ({ id, workspaceId }) => posts.publish(workspaceId, id, planPublish))
      assert.strictEqual(result.claims.length, result.posts.length)
      assert.strictEqual(result.taken.size, result.posts.length)
      assert.isAbove(result.done.size, 0)
    })
  )
})
