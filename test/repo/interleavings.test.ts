import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Deferred, Duration, Effect, Fiber, Random, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { IntegrationId, PostId, TargetId, WorkspaceId } from "../../src/domain/ids.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { planPublish, planUpdate } from "../../src/domain/postPlan.ts"
import type { TargetError } from "../../src/domain/post.ts"
import { rollUp } from "../../src/domain/rollUp.ts"
import type { Settlement } from "../../src/domain/settlement.ts"
import { Repo } from "../../src/repo/Repo.ts"
import type { Claim } from "../../src/repo/targets.ts"
import { repoLayer } from "../support/database.ts"
import { makeWorkspace, plan } from "../support/fixtures.ts"

const lease = Duration.minutes(3)

const published: Settlement = {
  _tag: "Published",
  publication: { platformPostId: "1", url: "https://platform.test/1" }
}
const error = (code: TargetError["code"]): TargetError => ({ code, message: "No", retryable: true })
const failed: Settlement = { _tag: "Failed", error: error("rejected"), uncertain: false }
const again: Settlement = {
  _tag: "Retry",
  at: DateTime.makeUnsafe("2100-01-01T00:00:00Z"),
  error: error("unavailable"),
  uncertain: false
}

const decodePosts = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ workspaceId: WorkspaceId, id: PostId, targetId: TargetId, account: IntegrationId }))
)

/** Posts that fell due, one after the other, within the last hour: so many of each of so many accounts. */
const makeDue = Effect.fn("makeDue")(function* (
  accounts: number,
  postsOfEach: number,
  platform: LivePlatform = "twitter"
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    WITH teams AS (
      INSERT INTO workspaces (id, name, created_at) SELECT gen_random_uuid(), 'A team', now()
      FROM generate_series(1, ${accounts}::int) RETURNING id
    ), accounts AS (
      INSERT INTO integrations (id, workspace_id, platform, account_id, username, status, credentials, created_at, updated_at)
      SELECT gen_random_uuid(), id, ${platform}, 'a', 'team', 'connected', 'x', now(), now() FROM teams
      RETURNING id, workspace_id
    ), made AS (
      SELECT gen_random_uuid() AS id, gen_random_uuid() AS target_id, accounts.workspace_id, accounts.id AS account,
        now() - random() * interval '1 hour' AS due
      FROM accounts CROSS JOIN generate_series(1, ${postsOfEach}::int)
    ), posts AS (
      INSERT INTO posts (id, workspace_id, status, content, scheduled_at, tags, platform_overrides, platform_settings, created_at)
      SELECT id, workspace_id, 'scheduled', 'Hello', due, '{}', '{}', '{}', now() FROM made
    ), targets AS (
      INSERT INTO post_targets (id, workspace_id, post_id, integration_id, platform, position, status, due_since, due_at)
      SELECT target_id, workspace_id, id, account, ${platform}, 1, 'pending', due, due FROM made
    )
    SELECT workspace_id AS "workspaceId", id, target_id AS "targetId", account FROM made ORDER BY due`.pipe(
    Effect.flatMap(decodePosts)
  )
})

/** Nothing is left due for the test that follows. */
const clear = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM posts`)

/** Many at once, each over a connection of its own. */
const atOnce = <A, E, R>(times: number, effect: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: times }, () => effect),
    { concurrency: times }
  )

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
        next.map(({ attempts, looks, sentAt, targetId }) => ({ attempts, looks, sentAt, targetId })),
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
