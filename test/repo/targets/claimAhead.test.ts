import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Option } from "effect"
import { monotonicMillis } from "../../../src/domain/monotonic.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { ClaimSlots } from "../../../src/repo/targets/Targets.ts"
import { deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { withPausesAfterReads, withWallClockAhead } from "../../support/wallClock.ts"
import { targetError } from "./settlements.ts"

const within = Duration.minutes(2)
const slots: ClaimSlots = { platforms: { twitter: 100, bluesky: 100 }, perHost: 100, hosts: {} }

/** A post on X due in one minute, and a post on Bluesky due in five. Returns the first due time. */
const makeUpcoming = Effect.gen(function* () {
  yield* deletePosts
  const { posts } = yield* Repo
  const workspace = yield* makeWorkspace(["twitter", "bluesky"])
  const now = yield* DateTime.now
  const due = DateTime.addDuration(now, "1 minute")
  yield* posts.create(workspace, plan(due, ["twitter"]))
  yield* posts.create(workspace, plan(DateTime.addDuration(now, "5 minutes"), ["bluesky"]))
  return due
})

/**
 * The milliseconds of the monotonic clock at a time of the wall clock. The monotonic clock is read first: if the
 * process pauses between the two reads, the result is too early, which is on the safe side for "at least".
 */
const until = Effect.fnUntraced(function* (time: DateTime.Utc) {
  const before = yield* monotonicMillis
  return before + Duration.toMillis(DateTime.distance(yield* DateTime.now, time))
})

/** The extra wait of a process whose clock differs from the database's by `skew`: a target must be due by both. */
const waitFor = (skew: number) => Math.max(0, -skew)

layer(repoLayer, { excludeTestServices: true })("A claim ahead of what is due", (it) => {
  it.effect.each([
    ["of few targets", 0, { slots }],
    ["that is fair", 0, {}],
    ["of few targets by a process with a fast clock", 600_000, { slots }],
    ["of few targets by a process with a slow clock", -30_000, { slots }],
    ["that is fair by a process with a fast clock", 600_000, {}],
    ["that is fair by a process with a slow clock", -30_000, {}]
  ] as const)("A claim %s takes what falls due in time, with when that is, and nothing else", ([_, skew, options]) =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const due = yield* makeUpcoming
      const before = yield* monotonicMillis
      const soonest = (yield* until(due)) + waitFor(skew)
      const claims = yield* withWallClockAhead(skew)(targets.claim(10, lease, { ...options, within }))
      assert.deepStrictEqual(
        claims.map(({ platform }) => platform),
        ["twitter"]
      )
      // Reading both clocks takes a moment, and wall clocks have whole milliseconds.
      assert.isAtLeast(claims[0]?.dueFrom ?? 0, soonest - 1)
      assert.isAtMost(claims[0]?.dueFrom ?? 0, soonest + 1 + (yield* monotonicMillis) - before)
      assert.deepStrictEqual(yield* targets.claim(10, lease, { ...options, within }), [])
    })
  )

  it.effect.each([
    ["of few targets", { slots }],
    ["that is fair", {}]
  ] as const)("A claim %s is never due early in a process that pauses between reads of its clocks", ([_, options]) =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const due = yield* makeUpcoming
      const soonest = (yield* until(due)) + waitFor(-30_000)
      const claiming = targets.claim(10, lease, { ...options, within })
      // The slow clock decides: by the database's clock the target is due half a minute sooner.
      const [claim] = yield* withPausesAfterReads(200)(withWallClockAhead(-30_000)(claiming))
      assert.isAtLeast(claim?.dueFrom ?? 0, soonest - 1)
    })
  )

  it.effect("What is due already has nothing to wait for", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      yield* makeDuePosts(2, 1)
      const claims = yield* targets.claim(10, lease, { within })
      const now = yield* monotonicMillis
      assert.deepStrictEqual(
        claims.map(({ dueFrom }) => dueFrom <= now),
        [true, true]
      )
    })
  )

  it.effect.each([
    ["fast", 600_000],
    ["slow", -30_000]
  ] as const)("A repeated attempt waits for its own time and not for that of its post by a %s clock", ([_, skew]) =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      yield* makeDuePosts(1, 1)
      const [first = assert.fail("Nothing was due")] = yield* targets.claim(1, lease)
      const at = DateTime.addDuration(yield* DateTime.now, "1 minute")
      yield* targets.settle(first, { _tag: "Retry", at, error: targetError("unavailable") })
      const soonest = (yield* until(at)) + waitFor(skew)
      const [again] = yield* withWallClockAhead(skew)(targets.claim(1, lease, { within }))
      assert.isAtLeast(again?.dueFrom ?? 0, soonest - 1)
    })
  )

  it.effect("An account that falls due in time is found behind the backlog of another one", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      yield* makeUpcoming
      const [oldest] = yield* makeDuePosts(1, 501)
      const claims = yield* targets.claim(100, lease, { within, slots })
      assert.deepStrictEqual(
        claims.map(({ postId }) => postId === oldest?.id),
        [true, false]
      )
    })
  )

  it.effect("A lease that ends in that time takes no slot from what is due", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      yield* makeDuePosts(1, 1)
      assert.lengthOf(yield* targets.claim(10, Duration.minutes(1)), 1)
      yield* makeDuePosts(1, 1)
      assert.lengthOf(yield* targets.claim(1, lease, { within }), 1)
    })
  )

  it.effect("A claim takes over no lease ahead of its end", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      yield* makeDuePosts(1, 1)
      assert.lengthOf(yield* targets.claim(10, Duration.minutes(1)), 1)
      assert.deepStrictEqual(yield* targets.claim(10, lease, { within }), [])
      assert.deepStrictEqual(yield* targets.claim(10, lease, { within, slots }), [])
    })
  )

  it.effect("A look ahead names the time to begin the next claim, and counts what that should have taken as left", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const due = yield* makeUpcoming
      const look = (within: number, lead: number) =>
        Effect.flatMap(DateTime.now, (now) =>
          targets.nextDue(now, { within: Duration.seconds(within), lead: Duration.seconds(lead) })
        )
      assert.deepStrictEqual(yield* look(30, 10), {
        isAnyLeft: false,
        at: Option.some(DateTime.subtractDuration(due, "10 seconds"))
      })
      // A target that the last claim should have taken might have been locked. It is retried when due.
      assert.deepStrictEqual(yield* look(120, 10), { isAnyLeft: true, at: Option.some(due) })
      assert.lengthOf(yield* targets.claim(10, Duration.minutes(1), { within }), 1)
      // The claim's lease expires within the 120 seconds, but that makes no target due.
      assert.isFalse((yield* look(120, 10)).isAnyLeft)
    })
  )
})
