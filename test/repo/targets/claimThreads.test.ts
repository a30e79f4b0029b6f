import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { TargetSettlement } from "../../../src/domain/publishing/settlement.ts"
import { buildIndexes } from "../../../src/repo/postgres/buildIndexes.ts"
import { begunThreadsIndex, indexes } from "../../../src/repo/postgres/indexes.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"
import { part } from "../../publishing/threadWorld.ts"
import { deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { plan } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { expireLease, targetError } from "./settlements.ts"
import { planPublish } from "../../support/plans.ts"

const slots = { platforms: { twitter: 100, bluesky: 100 }, perHost: 100, hosts: {} }

/** A few due posts have their own claim statement; of more than 500, a claim searches only a part. */
const backlogs = [3, 600]

type DuePost = Effect.Success<ReturnType<typeof makeDuePosts>>[number]

/** A thread on a due post's account, due before everything else. `earlier` orders several threads. */
const makeThread = Effect.fnUntraced(function* (on: DuePost | undefined, parts = 3, earlier = Duration.zero) {
  if (on === undefined) return yield* Effect.die("There is no due post")
  const { posts } = yield* Repo
  const at = DateTime.subtractDuration(yield* DateTime.now, Duration.sum(Duration.hours(2), earlier))
  const thread = Array.from({ length: parts - 1 }, (_, index) => part(`part ${index + 2}`))
  return (yield* posts.create(on.workspaceId, { ...plan(at), content: "part 1", thread })).id
})

const claimAll = Effect.flatMap(Repo, ({ targets }) => targets.claim(100, lease, { slots }))

/** Claims the next target of the only account. */
const claimNext = Effect.gen(function* () {
  const [claim, ...others] = yield* claimAll
  assert.deepStrictEqual(others, [])
  return claim ?? (yield* Effect.die("Nothing was claimed"))
})

const settle = (claim: Claim, settlement: TargetSettlement) =>
  Effect.flatMap(Repo, ({ targets }) => targets.settle(claim, settlement))

/** A time `delay` after a second ago, so that without a delay it has passed on every clock. */
const after = (delay: Duration.Input) =>
  Effect.map(DateTime.now, (now) => DateTime.addDuration(DateTime.subtractDuration(now, "1 second"), delay))

/** Settles the current part as published. The next part is due after a pause. */
const publishPart = Effect.fnUntraced(function* (claim: Claim, pause: Duration.Input = 0) {
  const id = `323456789012345678${claim.part}`
  const next = yield* after(pause)
  const publication = { platformPostId: id, url: `https://platform.test/${id}` }
  yield* settle(
    claim,
    claim.part === claim.parts ? { _tag: "Published", publication } : { _tag: "Continued", publication, next }
  )
})

const retry = Effect.fnUntraced(function* (
  claim: Claim,
  code: Parameters<typeof targetError>[0],
  delay: Duration.Input = 0
) {
  yield* settle(claim, { _tag: "Retry", at: yield* after(delay), error: targetError(code) })
})

const describeClaim = ({ part: at, postId }: Claim) => ({ postId, part: at })

layer(repoLayer, { excludeTestServices: true })("targets.claim of threads that have begun", (it) => {
  it.effect.each(backlogs)("A thread goes on before the %i older posts of its account", (backlog) =>
    Effect.gen(function* () {
      yield* deletePosts
      const [due] = yield* makeDuePosts(1, backlog)
      const postId = yield* makeThread(due)
      for (const at of [1, 2, 3]) {
        const claim = yield* claimNext
        assert.deepStrictEqual(describeClaim(claim), { postId, part: at })
        yield* publishPart(claim)
      }
      assert.strictEqual((yield* claimNext).postId, due?.id)
    })
  )

  it.effect.each(backlogs)("While it pauses, the oldest of %i other posts of its account goes out", (backlog) =>
    Effect.gen(function* () {
      yield* deletePosts
      const [due] = yield* makeDuePosts(1, backlog)
      yield* makeThread(due)
      yield* publishPart(yield* claimNext, "1 minute")
      assert.strictEqual((yield* claimNext).postId, due?.id)
    })
  )

  it.effect.each(backlogs)(
    "A later part that is tried again goes before the %i older posts of its account",
    (backlog) =>
      Effect.gen(function* () {
        yield* deletePosts
        const [due] = yield* makeDuePosts(1, backlog)
        const postId = yield* makeThread(due)
        yield* publishPart(yield* claimNext)
        for (const code of ["unavailable", "rate_limited", "outcome_unknown"] as const) {
          const claim = yield* claimNext
          assert.deepStrictEqual(describeClaim(claim), { postId, part: 2 })
          yield* retry(claim, code)
        }
        const claim = yield* claimNext
        assert.deepStrictEqual(describeClaim(claim), { postId, part: 2 })
        yield* retry(claim, "unavailable", "1 minute")
        assert.strictEqual((yield* claimNext).postId, due?.id)
      })
  )

  it.effect.each(backlogs)("A first part that may be out is looked for before the %i older posts go out", (backlog) =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      const [due] = yield* makeDuePosts(1, backlog)
      const postId = yield* makeThread(due)
      const claim = yield* claimNext
      yield* targets.beginSend(claim, "prepared", lease)
      yield* retry(claim, "outcome_unknown")
      assert.deepStrictEqual(describeClaim(yield* claimNext), { postId, part: 1 })
    })
  )

  it.effect.each(backlogs)("A first part that is certainly not out waits behind the %i older posts", (backlog) =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      const [due] = yield* makeDuePosts(1, backlog)
      yield* makeThread(due)
      const claim = yield* claimNext
      yield* targets.beginSend(claim, "prepared", lease)
      yield* retry(claim, "unavailable")
      assert.strictEqual((yield* claimNext).postId, due?.id)
    })
  )

  it.effect.each(backlogs)(
    "A post without a thread that may be out is looked for after the %i older posts",
    (backlog) =>
      Effect.gen(function* () {
        yield* deletePosts
        const { targets } = yield* Repo
        const [due, next] = yield* makeDuePosts(1, backlog)
        const claim = yield* claimNext
        assert.strictEqual(claim.postId, due?.id)
        yield* targets.beginSend(claim, "prepared", lease)
        yield* retry(claim, "outcome_unknown")
        assert.strictEqual((yield* claimNext).postId, next?.id)
      })
  )

  it.effect("A thread that failed goes on first once a person continues it or publishes it again", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { posts, targets } = yield* Repo
      const [due] = yield* makeDuePosts(1, 3)
      const postId = yield* makeThread(due)
      if (due === undefined) return
      yield* publishPart(yield* claimNext)
      const { workspaceId } = due
      const unknown = yield* claimNext
      yield* targets.beginSend(unknown, "prepared", lease)
      yield* settle(unknown, { _tag: "Failed", error: targetError("outcome_unknown") })
      const key = { workspaceId, postId, platform: "twitter" } as const
      const found = "3234567890123456782"
      const post = { url: `https://x.com/team/status/${found}`, key: found, site: "https://x.com" }
      yield* targets.resolve(key, { outcome: "published", post, continues: true })
      const last = yield* claimNext
      assert.deepStrictEqual(describeClaim(last), { postId, part: 3 })
      yield* settle(last, { _tag: "Failed", error: targetError("rejected") })
      yield* posts.publish(workspaceId, postId, planPublish)
      assert.deepStrictEqual(describeClaim(yield* claimNext), { postId, part: 3 })
    })
  )

  it.effect("An intent that was withdrawn has begun no thread", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      const [due] = yield* makeDuePosts(1, 3)
      const postId = yield* makeThread(due)
      const frozen = yield* claimNext
      yield* targets.beginSend(frozen, "prepared", lease)
      yield* expireLease(frozen)
      const taken = yield* claimNext
      assert.deepStrictEqual(describeClaim(taken), { postId, part: 1 })
      yield* retry(taken, "outcome_unknown")
      yield* targets.withdraw(frozen)
      assert.strictEqual((yield* claimNext).postId, due?.id)
    })
  )

  it.effect.each(backlogs)("Of two threads the one that began first goes first, before %i older posts", (backlog) =>
    Effect.gen(function* () {
      yield* deletePosts
      const [due] = yield* makeDuePosts(1, backlog)
      const second = yield* makeThread(due, 3)
      const first = yield* makeThread(due, 3, Duration.hours(1))
      yield* publishPart(yield* claimNext)
      // This thread's pause ends after the other thread's pause.
      const paused = yield* claimNext
      assert.deepStrictEqual(describeClaim(paused), { postId: first, part: 2 })
      yield* retry(paused, "unavailable", "1 hour")
      yield* publishPart(yield* claimNext)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE post_targets SET due_at = now() - interval '1 second' WHERE id = ${paused.targetId}::uuid`
      const order: Array<unknown> = []
      for (let count = 0; count < 4; count++) {
        const claim = yield* claimNext
        order.push(describeClaim(claim))
        yield* publishPart(claim)
      }
      assert.deepStrictEqual(order, [
        { postId: first, part: 2 },
        { postId: first, part: 3 },
        { postId: second, part: 2 },
        { postId: second, part: 3 }
      ])
    })
  )

  it.effect("A thread goes on in its account's turn, before 600 accounts whose posts fell due later", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      const [due] = yield* makeDuePosts(1, 600)
      const postId = yield* makeThread(due)
      yield* publishPart(yield* claimNext)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE post_targets SET due_at = due_at - interval '1 hour' WHERE part = 1`
      yield* makeDuePosts(600, 1)
      const [claim] = yield* targets.claim(1, lease)
      assert.deepStrictEqual(claim === undefined ? undefined : describeClaim(claim), { postId, part: 2 })
    })
  )

  it.effect("Begun threads of 100 accounts take no turn from 600 accounts that have waited longer", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      const owners = yield* makeDuePosts(100, 1)
      yield* Effect.forEach(owners, (owner) => makeThread(owner, 2), { concurrency: 4, discard: true })
      const begun = yield* targets.claim(100, lease)
      yield* Effect.forEach(begun, (claim) => publishPart(claim), { concurrency: 4, discard: true })
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM posts WHERE content = 'Hello'`
      // All targets that the claim searches first belong to two accounts, so that it walks over accounts for the
      // rest.
      yield* makeDuePosts(2, 300)
      yield* sql`UPDATE post_targets SET due_at = due_at - interval '2 hours' WHERE part = 1`
      const others = yield* makeDuePosts(600, 1)
      yield* sql`UPDATE post_targets SET due_at = due_at - interval '1 hour' WHERE part = 1`
      const claims = yield* targets.claim(602, lease)
      assert.lengthOf(claims, 602)
      assert.deepStrictEqual(
        claims.filter(({ part: at }) => at > 1),
        []
      )
      assert.lengthOf(others, 600)
      // The begun threads have their turn in the next claim.
      assert.lengthOf(yield* targets.claim(600, lease), 100)
    })
  )

  it.effect("Until its index is built a thread goes on in the order of its due time", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const [due] = yield* makeDuePosts(1, 600)
      const postId = yield* makeThread(due)
      yield* publishPart(yield* claimNext)
      yield* sql`DROP INDEX ${sql(begunThreadsIndex)}`
      const claim = yield* claimNext
      assert.strictEqual(claim.postId, due?.id)
      yield* publishPart(claim)
      yield* buildIndexes(indexes)
      assert.deepStrictEqual(describeClaim(yield* claimNext), { postId, part: 2 })
    })
  )
})
