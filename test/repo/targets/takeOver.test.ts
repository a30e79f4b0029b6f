import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ProcessId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { deletePosts, lease, makeDuePosts, repeatConcurrently } from "../../support/database/duePosts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { withWallClockAhead } from "../../support/wallClock.ts"
import { expireLease, published, retryMuchLater, targetError } from "./settlements.ts"

const processLease = Duration.seconds(30)

/** A process with a lease, which claims all due targets. */
const claimAsProcess = Effect.gen(function* () {
  const { processes, targets } = yield* Repo
  const { id } = yield* processes.renew(null, processLease)
  return { id, claims: yield* targets.claim(100, lease, { owner: { id, takesOver: false } }) }
})

const expire = (id: ProcessId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE processes SET lease_until = now() - interval '1 second' WHERE id = ${id}::uuid`
  )

/** Claims as another process. */
const takeOver = (takesOver: boolean) =>
  Effect.gen(function* () {
    const { processes, targets } = yield* Repo
    const { id } = yield* processes.renew(null, processLease)
    return yield* targets.claim(100, lease, { owner: { id, takesOver } })
  })

/** A claim of a process that froze after it began to send, and the claim that took over its target. */
const takeOverFrozen = Effect.gen(function* () {
  yield* deletePosts
  const { targets } = yield* Repo
  yield* makeDuePosts(1, 1)
  const [frozen] = yield* targets.claim(10, lease)
  if (frozen === undefined) return yield* Effect.die("Nothing was due")
  yield* targets.beginSend(frozen, "text", lease)
  yield* expireLease(frozen)
  const [taker] = yield* targets.claim(10, lease)
  return taker === undefined ? yield* Effect.die("Nothing was taken over") : { frozen, taker }
})

const unknownYet = { _tag: "Retry", at: DateTime.makeUnsafe(0), error: targetError("outcome_unknown") } as const

layer(repoLayer, { excludeTestServices: true })("Taking over the claims of a process that stopped", (it) => {
  it.effect("The claims of a process are taken over once its lease has expired, long before theirs do", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      yield* makeDuePosts(3, 1)
      const stopped = yield* claimAsProcess
      const [sent] = stopped.claims
      assert.isDefined(sent)
      if (sent === undefined) return
      yield* targets.beginSend(sent, "text", lease)
      assert.deepStrictEqual(yield* takeOver(true), [])
      yield* expire(stopped.id)
      const taken = yield* takeOver(true)
      assert.lengthOf(taken, 3)
      assert.deepStrictEqual(
        taken
          .filter(({ sentAt }) => sentAt !== null)
          .map(({ targetId, reconcileAttempts }) => [targetId, reconcileAttempts]),
        [[sent.targetId, 1]]
      )
      // A send of the stopped process is settled late only if its outcome is certain.
      const late = yield* Effect.flip(targets.settle(sent, retryMuchLater))
      assert.strictEqual(late._tag, "ClaimLost")
      // A claim without a begun send is never settled late.
      const unsent = stopped.claims.find(({ targetId }) => targetId !== sent.targetId)
      assert.isDefined(unsent)
      if (unsent === undefined) return
      const unsentLate = yield* Effect.flip(targets.settle(unsent, published))
      assert.strictEqual(unsentLate._tag, "ClaimLost")
    })
  )

  it.effect("A process that can't tell whether the others could renew their leases takes nothing over", () =>
    Effect.gen(function* () {
      yield* deletePosts
      yield* makeDuePosts(1, 1)
      const stopped = yield* claimAsProcess
      yield* expire(stopped.id)
      assert.deepStrictEqual(yield* takeOver(false), [])
      assert.lengthOf(yield* takeOver(true), 1)
    })
  )

  it.effect("What a process leaves behind that ended its lease is taken over at once, by any process", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { processes } = yield* Repo
      yield* makeDuePosts(1, 1)
      const stopped = yield* claimAsProcess
      yield* processes.end(stopped.id)
      assert.lengthOf(yield* takeOver(false), 1)
    })
  )

  it.effect.each<[string, Effect.Effect<unknown, unknown, Repo | SqlClient.SqlClient>]>([
    ["whose process let its lease expire", Effect.flatMap(claimAsProcess, ({ id }) => expire(id))],
    [
      "whose process ended its lease",
      Effect.gen(function* () {
        const { processes } = yield* Repo
        yield* processes.end((yield* claimAsProcess).id)
      })
    ],
    [
      "whose own lease has expired",
      Effect.gen(function* () {
        const { targets } = yield* Repo
        yield* Effect.forEach(yield* targets.claim(100, lease), expireLease)
      })
    ]
  ])("A look ahead finds something left where a tick has not taken over a claim %s", ([_, leaveBehind]) =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      yield* makeDuePosts(1, 1)
      yield* leaveBehind
      assert.isTrue((yield* targets.nextDue(yield* DateTime.now)).isAnyLeft)
      assert.lengthOf(yield* takeOver(true), 1)
      assert.isFalse((yield* targets.nextDue(yield* DateTime.now)).isAnyLeft)
    })
  )

  it.effect("A look ahead finds a claim whose lease ended after the tick had begun", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      yield* makeDuePosts(1, 1)
      yield* Effect.forEach(yield* targets.claim(100, lease), expireLease)
      const since = DateTime.subtract(yield* DateTime.now, { minutes: 1 })
      const { at, isAnyLeft } = yield* targets.nextDue(since)
      assert.isFalse(isAnyLeft)
      const ended = Option.getOrThrow(at)
      assert.isTrue(DateTime.isGreaterThan(ended, since) && DateTime.isLessThan(ended, yield* DateTime.now))
    })
  )

  it.effect("Each claim of a process that stopped is taken over by one process only", () =>
    Effect.gen(function* () {
      yield* deletePosts
      yield* makeDuePosts(60, 1)
      const stopped = yield* claimAsProcess
      yield* expire(stopped.id)
      // A claim skips locked targets, which the next claim finds.
      const taken = [...(yield* repeatConcurrently(6, takeOver(true))).flat(), ...(yield* takeOver(true))]
      assert.lengthOf(taken, 60)
      assert.strictEqual(new Set(taken.map(({ targetId }) => targetId)).size, 60)
    })
  )

  it.effect(
    "A claim that the version before this one made is held by its own lease, whoever owned the target before",
    () =>
      Effect.gen(function* () {
        yield* deletePosts
        const sql = yield* SqlClient.SqlClient
        yield* makeDuePosts(1, 1)
        const stopped = yield* claimAsProcess
        yield* sql`UPDATE post_targets SET claim_token = gen_random_uuid()`
        yield* expire(stopped.id)
        assert.deepStrictEqual(yield* takeOver(true), [])
        yield* sql`UPDATE post_targets SET lease_until = now() - interval '1 second'`
        assert.lengthOf(yield* takeOver(false), 1)
      })
  )

  it.effect(
    "A claim that its process gave up is claimed again by it after a pause, as one that may have been sent",
    () =>
      Effect.gen(function* () {
        yield* deletePosts
        const { processes, targets } = yield* Repo
        yield* makeDuePosts(1, 1)
        const owner = { ...(yield* processes.renew(null, processLease)), takesOver: true }
        const [claim] = yield* targets.claim(10, lease, { owner })
        if (claim === undefined) return assert.fail("Nothing was due")
        yield* targets.beginSend(claim, "text", lease)
        yield* targets.abandon(claim)
        assert.isEmpty(yield* targets.claim(10, lease, { owner }))
        const [again] = yield* withWallClockAhead(20_000)(targets.claim(10, lease, { owner }))
        assert.strictEqual(again?.attempts, 2)
        assert.isNotNull(again?.sentAt)
        assert.isEmpty(yield* withWallClockAhead(40_000)(targets.claim(10, lease, { owner })))
      })
  )

  it.effect(
    "An intent to send is withdrawn after the claim was taken over, but not while another attempt goes by it",
    () =>
      Effect.gen(function* () {
        const { targets } = yield* Repo
        const { frozen, taker } = yield* takeOverFrozen
        assert.isNotNull(taker.sentAt)
        yield* targets.withdraw(frozen)
        yield* targets.settle(taker, unknownYet)
        yield* targets.withdraw(frozen)
        const [next] = yield* targets.claim(10, lease)
        assert.isNull(next?.sentAt)
      })
  )

  it.effect("A withdrawal while another attempt goes by the intent changes nothing, and the post is looked for", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { frozen, taker } = yield* takeOverFrozen
      yield* targets.withdraw(frozen)
      yield* targets.settle(taker, unknownYet)
      assert.isNotNull((yield* targets.claim(10, lease))[0]?.sentAt)
    })
  )

  it.effect("An intent is not withdrawn once another process has sent the post since", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const { frozen, taker } = yield* takeOverFrozen
      yield* targets.beginSend(taker, "text", lease)
      yield* targets.settle(taker, unknownYet)
      yield* targets.withdraw(frozen)
      assert.isNotNull((yield* targets.claim(10, lease))[0]?.sentAt)
    })
  )
})
