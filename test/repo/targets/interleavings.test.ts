import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Deferred, Duration, Effect, Fiber, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import type { IntegrationId, TargetId } from "../../../src/domain/ids.ts"
import { planPublish } from "../../../src/domain/postPlan.ts"
import type { TargetError } from "../../../src/domain/post.ts"
import { rollUp } from "../../../src/domain/rollUp.ts"
import type { Settlement } from "../../../src/domain/settlement.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"
import { repoLayer } from "../../support/database.ts"
import { atOnce, clear, lease, makeDue } from "../../support/due.ts"
import { makeWorkspace, plan } from "../../support/fixtures.ts"

const published: Settlement = {
  _tag: "Published",
  publication: { platformPostId: "1", url: "https://platform.test/1" }
}
const error = (code: TargetError["code"]): TargetError => ({ code, message: "No", retryable: true })
const failed: Settlement = { _tag: "Failed", error: error("rejected") }
const again: Settlement = {
  _tag: "Retry",
  at: DateTime.makeUnsafe("2100-01-01T00:00:00Z"),
  error: error("unavailable")
}

/** A clock that is so many milliseconds ahead of the database's. */
const ahead =
  (skew: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Clock.clockWith((clock) => {
      const millis = () => clock.currentTimeMillisUnsafe() + skew
      const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(skew) * 1_000_000n
      return Effect.provideService(effect, Clock.Clock, {
        currentTimeMillisUnsafe: millis,
        currentTimeMillis: Effect.sync(millis),
        currentTimeNanosUnsafe: nanos,
        currentTimeNanos: Effect.sync(nanos),
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep: (duration) => clock.sleep(duration)
      })
    })

const expire = (claim: Claim) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE post_targets SET lease_until = now() - interval '1 second' WHERE id = ${claim.targetId}::uuid`
  )

layer(repoLayer, { excludeTestServices: true })("Claims, settlements and people at once", (it) => {
  it.effect("claims that race each other never take a target twice, nor two of one account", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const due = yield* makeDue(30, 12)
      const inFlight = new Map<IntegrationId, TargetId>()
      const ends = new Map<TargetId, number>()
      const clashes: Array<string> = []
      const publisher = Effect.gen(function* () {
        while (ends.size < due.length) {
          const claims = yield* targets.claim(5, lease)
          for (const claim of claims) {
            const other = inFlight.get(claim.integration.id)
            if (other !== undefined) clashes.push(`${claim.targetId} beside ${other}`)
            inFlight.set(claim.integration.id, claim.targetId)
          }
          yield* Effect.forEach(
            claims,
            (claim) =>
              Effect.suspend(() => {
                inFlight.delete(claim.integration.id)
                ends.set(claim.targetId, (ends.get(claim.targetId) ?? 0) + 1)
                return targets.settle(claim, published)
              }),
            { concurrency: 2, discard: true }
          )
        }
      })
      yield* atOnce(8, publisher)
      assert.deepStrictEqual(clashes, [])
      assert.deepStrictEqual(
        [...ends.values()].filter((times) => times !== 1),
        []
      )
    })
  )

  it.effect("a claim passes over a post that someone works on, and does not wait for it", () =>
    Effect.gen(function* () {
      yield* clear
      const sql = yield* SqlClient.SqlClient
      const { targets } = yield* Repo
      const [worked, free] = yield* makeDue(2, 1)
      const locked = yield* Deferred.make<void>()
      const claimed = yield* Deferred.make<void>()
      const person = sql.withTransaction(
        sql`SELECT id FROM posts WHERE id = ${worked?.id ?? ""}::uuid FOR UPDATE`.pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Deferred.await(claimed))
        )
      )
      const working = yield* Effect.forkChild(person)
      yield* Deferred.await(locked)
      const claims = yield* targets.claim(10, lease)
      yield* Deferred.succeed(claimed, undefined)
      yield* Fiber.join(working)
      assert.deepStrictEqual(
        claims.map(({ postId }) => postId),
        [free?.id]
      )
    })
  )

  it.effect("of two claims that choose different targets of one account at once the second takes none of it", () =>
    Effect.gen(function* () {
      yield* clear
      const sql = yield* SqlClient.SqlClient
      const { posts, targets } = yield* Repo
      const workspace = yield* makeWorkspace(["twitter"])
      const now = yield* DateTime.now
      yield* posts.create(workspace, plan(DateTime.subtractDuration(now, "1 second")))
      const claimed = yield* Deferred.make<ReadonlyArray<Claim>, DatabaseUnavailable>()
      const chosen = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        sql.withTransaction(Effect.andThen(Deferred.into(targets.claim(10, lease), claimed), Deferred.await(chosen)))
      )
      assert.lengthOf(yield* Deferred.await(claimed), 1)
      yield* posts.create(workspace, plan(DateTime.subtractDuration(now, "1 minute")))
      const second = yield* Effect.forkChild(targets.claim(10, lease))
      yield* Effect.repeat(
        sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        { until: (waiting) => waiting.length > 0 }
      )
      yield* Deferred.succeed(chosen, undefined)
      yield* Fiber.join(first)
      assert.deepStrictEqual(yield* Fiber.join(second), [])
    })
  )

  it.effect("a lease that has run out is taken over once, and its holder's writes are refused from then on", () =>
    Effect.gen(function* () {
      yield* clear
      const { targets } = yield* Repo
      const due = yield* makeDue(60, 1)
      const late = yield* targets.claim(100, lease)
      yield* Effect.forEach(late, expire, { discard: true })
      const atFirst = (yield* atOnce(6, targets.claim(30, lease))).flat()
      // Those that were locked at that moment are left to the next.
      const takers = [...atFirst, ...(yield* targets.claim(100, lease))]
      assert.strictEqual(takers.length, due.length)
      assert.strictEqual(new Set(takers.map(({ targetId }) => targetId)).size, due.length)
      const holders = new Map(takers.map((claim) => [claim.targetId, claim]))
      const ended = Effect.match({ onFailure: (lost: { readonly _tag: string }) => lost._tag, onSuccess: () => "done" })
      const outcomes = yield* Effect.forEach(
        late,
        (claim) =>
          Effect.all(
            [
              ended(targets.settle(claim, failed)),
              ended(targets.beginSend(claim, "text", lease)),
              ended(targets.release(claim)),
              ended(targets.settle(holders.get(claim.targetId) ?? claim, published))
            ],
            { concurrency: 4 }
          ),
        { concurrency: 2 }
      )
      assert.deepStrictEqual([...new Set(outcomes.map((all) => all.join()))], ["ClaimLost,ClaimLost,ClaimLost,done"])
    })
  )

  it.effect("of two settlements under one claim one is written", () =>
    Effect.gen(function* () {
      yield* clear
      const { targets } = yield* Repo
      yield* makeDue(60, 1)
      const claims = yield* targets.claim(100, lease)
      const outcomes = yield* Effect.forEach(
        claims,
        (claim) =>
          Effect.all([Effect.result(targets.settle(claim, published)), Effect.result(targets.settle(claim, failed))], {
            concurrency: 2
          }),
        { concurrency: 4 }
      )
      assert.deepStrictEqual(
        outcomes.filter((both) => both.filter(Result.isSuccess).length !== 1),
        []
      )
    })
  )

  it.effect("two targets of one post that are settled at once roll it up right, and end it once", () =>
    Effect.gen(function* () {
      yield* clear
      const { posts, targets } = yield* Repo
      const now = yield* DateTime.now
      const made = Effect.flatMap(makeWorkspace(), (workspace) =>
        Effect.map(posts.create(workspace, plan(now, ["twitter", "bluesky"])), ({ id }) => ({ workspace, id }))
      )
      const all = yield* Effect.forEach(Array.from({ length: 90 }), () => made, { concurrency: 8 })
      const claims = yield* targets.claim(200, lease)
      assert.strictEqual(claims.length, 180)
      const settlements = [published, failed, again]
      const wrong = yield* Effect.forEach(
        all,
        ({ id, workspace }, index) =>
          Effect.gen(function* () {
            const settled = yield* Effect.forEach(
              claims.filter(({ postId }) => postId === id),
              (claim, which) =>
                targets.settle(claim, settlements[(which === 0 ? index : Math.floor(index / 3)) % 3] ?? again),
              { concurrency: 2 }
            )
            const post = yield* posts.get(workspace, id)
            const statuses = post.post_targets.map(({ status }) => status)
            const ends = settled.filter(({ status }) => status !== "publishing").length
            const expected = rollUp(statuses)
            return post.status === expected && ends === (expected === "publishing" ? 0 : 1)
              ? []
              : [{ statuses, post, ends }]
          }),
        { concurrency: 4 }
      )
      assert.deepStrictEqual(wrong.flat(), [])
    })
  )

  it.effect("what was certainly not sent leaves an earlier doubt, and a person's order, as they were", () =>
    Effect.gen(function* () {
      yield* clear
      const { posts, targets } = yield* Repo
      yield* makeDue(1, 1)
      const claimNext = Effect.map(targets.claim(1, lease), ([claim]) => claim ?? assert.fail("Nothing was due"))
      const met = (code: TargetError["code"]): Settlement => ({
        _tag: "Retry",
        at: DateTime.makeUnsafe(0),
        error: error(code)
      })
      const sendAndMeet = Effect.fnUntraced(function* (settlement: Settlement) {
        const claim = yield* claimNext
        yield* targets.beginSend(claim, "text", lease)
        yield* targets.settle(claim, settlement)
        return claim
      })
      const { postId, workspaceId } = yield* sendAndMeet({ _tag: "Failed", error: error("outcome_unknown") })
      yield* posts.publish(workspaceId, postId, planPublish)
      const ordered = yield* sendAndMeet(met("rate_limited"))
      assert.isTrue(ordered.resendOrdered)
      const limited = yield* sendAndMeet(met("unavailable"))
      assert.deepStrictEqual([limited.sentAt, limited.resendOrdered], [ordered.sentAt, true])
      const again = yield* sendAndMeet(met("outcome_unknown"))
      assert.deepStrictEqual([again.sentAt, again.resendOrdered], [ordered.sentAt, true])
      const looked = yield* claimNext
      assert.isFalse(looked.resendOrdered)
      assert.isTrue(
        looked.sentAt !== null && again.sentAt !== null && DateTime.isGreaterThan(looked.sentAt, again.sentAt)
      )
    })
  )

  it.effect("an account that was connected again is not marked for what was found before", () =>
    Effect.gen(function* () {
      const { integrations, targets } = yield* Repo
      yield* clear
      const workspace = yield* makeWorkspace(["twitter"])
      const claimNew = Effect.gen(function* () {
        yield* (yield* Repo).posts.create(workspace, plan(yield* DateTime.now))
        const [claim] = yield* targets.claim(1, lease)
        return claim ?? assert.fail("Nothing was due")
      })
      const before = yield* claimNew
      yield* targets.settle(before, published)
      const { id, version } = before.integration
      const { accountId, serviceUrl, username } = before.integration
      const credentials = Redacted.make("fresh")
      const account = { accountId, serviceUrl, username, displayName: null, avatarUrl: null, credentials }
      yield* integrations.connect(workspace, { platform: "twitter", ...account })
      assert.isFalse(yield* integrations.markNeedsReconnect(id, version))
      const after = yield* claimNew
      assert.isTrue(after.integration.connected)
      assert.isTrue(yield* integrations.markNeedsReconnect(id, after.integration.version))
      assert.isFalse(yield* integrations.markNeedsReconnect(id, after.integration.version))
    })
  )

  it.effect("two first connections of a platform at once come to one account", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const account = {
        platform: "twitter" as const,
        accountId: "1",
        username: "team",
        displayName: null,
        avatarUrl: null,
        serviceUrl: null,
        credentials: Redacted.make("fresh")
      }
      for (let round = 0; round < 20; round++) {
        const workspace = yield* makeWorkspace([])
        const ids = yield* atOnce(
          3,
          Effect.map(integrations.connect(workspace, account), ({ id }) => id)
        )
        assert.strictEqual(new Set(ids).size, 1)
      }
    })
  )

  it.effect("a claim that is given back can be taken again as if it had not been, and only by one", () =>
    Effect.gen(function* () {
      yield* clear
      const { targets } = yield* Repo
      const [post] = yield* makeDue(1, 1)
      const [claim] = yield* targets.claim(1, lease)
      assert.isDefined(claim)
      assert.isDefined(post)
      if (claim === undefined) return
      yield* targets.beginSend(claim, "text", lease)
      const released = yield* atOnce(3, Effect.result(targets.release(claim)))
      assert.strictEqual(released.filter(Result.isSuccess).length, 1)
      const next = (yield* atOnce(4, targets.claim(1, lease))).flat()
      assert.deepStrictEqual(
        next.map(({ attempts, reconcileAttempts: looks, sentAt, targetId }) => ({ attempts, looks, sentAt, targetId })),
        [{ attempts: 1, looks: 0, sentAt: null, targetId: post?.targetId }]
      )
    })
  )

  it.effect(
    "a fast clock claims nothing before the database's time, and takes over no lease that has not run out",
    () =>
      Effect.gen(function* () {
        yield* clear
        const { posts, targets } = yield* Repo
        const workspace = yield* makeWorkspace(["twitter", "bluesky"])
        const now = yield* DateTime.now
        const fast = ahead(10 * 60_000)
        yield* posts.create(workspace, plan(DateTime.addDuration(now, "5 minutes"), ["twitter"]))
        yield* posts.create(workspace, plan(now, ["bluesky"]))
        const [claim] = yield* targets.claim(10, lease)
        assert.strictEqual(claim?.platform, "bluesky")
        assert.deepStrictEqual(yield* fast(targets.claim(10, lease)), [])
      })
  )

  it.effect("a fast clock does not put the beginning of a send after what a platform's timeline will say of it", () =>
    Effect.gen(function* () {
      yield* clear
      const { targets } = yield* Repo
      yield* makeDue(1, 1)
      const [claim] = yield* targets.claim(1, lease)
      assert.isDefined(claim)
      if (claim === undefined) return
      yield* ahead(10 * 60_000)(targets.beginSend(claim, "text", lease))
      yield* expire(claim)
      const [next] = yield* targets.claim(1, lease)
      assert.isNotNull(next?.sentAt)
      if (next?.sentAt == null) return
      const apart = Duration.toSeconds(DateTime.distance(next.sentAt, yield* DateTime.now))
      assert.isAtLeast(apart, 0)
      assert.isBelow(apart, 60)
    })
  )

  it.effect("a slow clock claims late, and its lease still outlasts what is done under it", () =>
    Effect.gen(function* () {
      yield* clear
      const { posts, targets } = yield* Repo
      const slow = ahead(-80_000)
      const workspace = yield* makeWorkspace(["twitter", "bluesky"])
      const now = yield* DateTime.now
      yield* posts.create(workspace, plan(DateTime.subtractDuration(now, "60 seconds"), ["twitter"]))
      yield* posts.create(workspace, plan(DateTime.subtractDuration(now, "100 seconds"), ["bluesky"]))
      const [claim] = yield* slow(targets.claim(10, lease))
      assert.strictEqual(claim?.platform, "bluesky")
      const others = yield* targets.claim(10, lease)
      assert.deepStrictEqual(
        others.map(({ platform }) => platform),
        ["twitter"]
      )
    })
  )

  it.effect("a team with 10,000 due posts does not keep another's single post waiting", () =>
    Effect.gen(function* () {
      yield* clear
      const { posts, targets } = yield* Repo
      yield* makeDue(1, 10_000)
      const workspace = yield* makeWorkspace(["twitter"])
      const { id } = yield* posts.create(workspace, plan(yield* DateTime.now))
      const [took, claims] = yield* Effect.timed(targets.claim(32, lease))
      assert.include(
        claims.map(({ postId }) => postId),
        id
      )
      assert.strictEqual(claims.length, 2)
      assert.isBelow(Duration.toMillis(took), 1000)
    })
  )
})
