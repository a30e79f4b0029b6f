import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Metric, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"
import { deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const manySlots = { platforms: { twitter: 100, bluesky: 100 }, perHost: 100, hosts: {} }

const countBy = (claims: ReadonlyArray<Claim>, key: "platform" | "host") =>
  Object.fromEntries(
    Map.groupBy(claims, (claim) => claim[key])
      .entries()
      .map(([name, all]) => [name, all.length])
  )

/** Due posts of accounts on one host. */
const makeDueOn = Effect.fn("makeDueOn")(function* (
  host: string | null,
  accounts: number,
  platform: LivePlatform = "bluesky"
) {
  const sql = yield* SqlClient.SqlClient
  const posts = yield* makeDuePosts(accounts, 1, platform)
  yield* sql`UPDATE integrations SET service_url = ${host} WHERE id = ANY(${posts.map(({ account }) => account)}::uuid[])`
  return posts
})

const Stored = Schema.Struct({
  status: Schema.String,
  attempts: Schema.Int,
  sinceKept: Schema.Boolean,
  seconds: Schema.Finite
})

/** The number of times that this process found an unreadable target. */
const countUnreadable = Effect.map(Metric.snapshot, (metrics) => {
  const counter = metrics.find(({ id }) => id === "publish_unreadable_targets_total")
  return counter?.type === "Counter" ? Number(counter.state.count) : 0
})

layer(repoLayer, { excludeTestServices: true })("targets.claim with scarce slots", (it) => {
  it.effect("A claim takes as many targets of each platform and each host as have a free slot, the oldest first", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      const full = yield* makeDueOn("https://full.test", 20)
      const busy = yield* makeDueOn("https://busy.test", 20)
      yield* makeDueOn(null, 20)
      yield* makeDuePosts(20, 1, "twitter")
      const claims = yield* targets.claim(100, lease, {
        slots: {
          platforms: { twitter: 5, bluesky: 15 },
          perHost: 7,
          hosts: { "https://full.test": 0, "https://busy.test": 3 }
        }
      })
      assert.deepStrictEqual(countBy(claims, "platform"), { twitter: 5, bluesky: 10 })
      assert.deepStrictEqual(countBy(claims, "host"), { twitter: 5, bluesky: 7, "https://busy.test": 3 })
      const onBusy = claims.filter(({ host }) => host === "https://busy.test").map(({ targetId }) => targetId)
      assert.sameMembers(
        onBusy,
        busy.slice(0, 3).map(({ targetId }) => targetId)
      )
      assert.isEmpty(claims.filter(({ postId }) => full.some(({ id }) => id === postId)))
    })
  )

  it.effect("A claim finds the post behind a backlog of more than five hundred accounts on a host without a slot", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      yield* makeDueOn("https://full.test", 600)
      const [free] = yield* makeDueOn("https://free.test", 1)
      // Not now(): a claim uses the caller's clock, which has whole milliseconds and can be behind the server's.
      yield* sql`UPDATE post_targets SET due_at = now() - interval '1 second' WHERE id = ${free?.targetId ?? ""}::uuid`
      const slots = { ...manySlots, hosts: { "https://full.test": 0 } }
      const claims = yield* targets.claim(100, lease, { slots })
      assert.deepStrictEqual(
        claims.map(({ targetId }) => targetId),
        [free?.targetId]
      )
    })
  )

  it.effect(
    "A claim counts no account twice that it finds in the window and behind it, so that no slot stays free",
    () =>
      Effect.gen(function* () {
        yield* deletePosts
        const { targets } = yield* Repo
        const sql = yield* SqlClient.SqlClient
        yield* makeDueOn("https://small.test", 5)
        yield* makeDueOn("https://scarce.test", 600)
        const behind = yield* makeDueOn("https://free.test", 5)
        yield* sql`UPDATE post_targets SET due_at = now() - interval '1 second' WHERE id = ANY(${behind.map(({ targetId }) => targetId)}::uuid[])`
        const slots = {
          platforms: { twitter: 100, bluesky: 100 },
          perHost: 5,
          hosts: { "https://scarce.test": 3 }
        }
        const claims = yield* targets.claim(100, lease, { slots })
        assert.deepStrictEqual(countBy(claims, "host"), {
          "https://small.test": 5,
          "https://scarce.test": 3,
          "https://free.test": 5
        })
      })
  )

  it.effect("First attempts come before repeated ones, which wait a minute longer", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const posts = yield* makeDuePosts(3, 1)
      const setDue = (index: number, seconds: number, attempts: number) => sql`
        UPDATE post_targets SET due_at = now() - ${seconds} * interval '1 second', attempts = ${attempts}
        WHERE id = ${posts[index]?.targetId ?? ""}::uuid`
      yield* setDue(0, 90, 1)
      yield* setDue(1, 1, 0)
      yield* setDue(2, 30, 1)
      const taken: Array<Claim> = []
      for (let slot = 0; slot < 3; slot++) taken.push(...(yield* targets.claim(1, lease)))
      assert.deepStrictEqual(
        taken.map(({ postId }) => posts.findIndex(({ id }) => id === postId)),
        [0, 1, 2]
      )
    })
  )

  it.effect(
    "A target that can't be read is set aside for a minute as if it had not been claimed, and the others go out",
    () =>
      Effect.gen(function* () {
        yield* deletePosts
        const { targets } = yield* Repo
        const sql = yield* SqlClient.SqlClient
        const [unreadable, ...readable] = yield* makeDuePosts(5, 1)
        yield* sql`UPDATE posts SET platform_settings = '{"twitter": {"who_can_reply": "a value of a later version"}}'
        WHERE id = ${unreadable?.id ?? ""}::uuid`
        yield* sql`UPDATE post_targets SET attempts = 3 WHERE id = ${unreadable?.targetId ?? ""}::uuid`
        const before = yield* countUnreadable
        const claims = yield* targets.claim(100, lease)
        assert.sameMembers(
          claims.map(({ targetId }) => targetId),
          readable.map(({ targetId }) => targetId)
        )
        const rows = yield* sql`
        SELECT status, attempts, due_since < now() - interval '1 second' AS "sinceKept",
          extract(epoch FROM due_at - now())::float8 AS seconds
        FROM post_targets WHERE id = ${unreadable?.targetId ?? ""}::uuid`
        const [stored] = yield* Schema.decodeUnknownEffect(Schema.Tuple([Stored]))(rows)
        assert.deepStrictEqual([stored.status, stored.attempts, stored.sinceKept], ["pending", 3, true])
        assert.isAbove(stored.seconds, 50)
        assert.isAtMost(stored.seconds, Duration.toSeconds("1 minute"))
        assert.strictEqual((yield* countUnreadable) - before, 1)
      })
  )
})
