import { assert, layer } from "@effect/vitest"
import {
  type Array as Arr,
  DateTime,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  Logger,
  Metric,
  Option,
  Redacted
} from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ClaimToken, nextMediaId, UserId, type WorkspaceId } from "../../src/domain/ids.ts"
import { postFailed } from "../../src/notifier/messages.ts"
import { batchBounds } from "../../src/repo/batchBounds.ts"
import { makeBatch } from "../../src/repo/makeBatch.ts"
import { Repo } from "../../src/repo/Repo.ts"
import type { Claim, Send, Targets } from "../../src/repo/targets/Targets.ts"
import { deletePosts, makeDuePosts } from "../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { locksAreAwaited } from "../support/database/programs.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import {
  aResult,
  deleteWebhooks,
  lease,
  makeWebhook,
  recordEvents,
  settleAs,
  someSlots
} from "../support/database/webhookFixtures.ts"
import { published, targetError } from "./targets/settlements.ts"

const counterOf = (name: string) =>
  Effect.map(Metric.snapshot, (metrics) => {
    const counter = metrics.find(({ id }) => id === name)
    return counter?.type === "Counter" ? Number(counter.state.count) : 0
  })

/** Two workspaces, each with a webhook and an event. The tests poison the first. */
const makeSubscribers = Effect.gen(function* () {
  yield* deleteWebhooks
  const workspaces = [yield* makeWorkspace([]), yield* makeWorkspace([])] as const
  for (const workspaceId of workspaces) {
    yield* makeWebhook(workspaceId)
    yield* recordEvents(workspaceId, 1)
  }
  const [poisoned, neighbor] = workspaces
  return { poisoned, neighbor, ...(yield* Repo) }
})

/** Locks the rows of claimed targets until `unlock` runs. */
const lockTargets = Effect.fnUntraced(function* (claims: ReadonlyArray<Claim>) {
  const sql = yield* SqlClient.SqlClient
  const isLocked = yield* Deferred.make<void>()
  const done = yield* Deferred.make<void>()
  const ids = claims.map(({ targetId }) => targetId)
  const holder = yield* sql`SELECT FROM post_targets WHERE id = ANY(${ids}::uuid[]) FOR UPDATE`.pipe(
    Effect.andThen(Deferred.succeed(isLocked, undefined)),
    Effect.andThen(Deferred.await(done)),
    sql.withTransaction,
    Effect.forkChild
  )
  yield* Deferred.await(isLocked)
  return { unlock: Effect.andThen(Deferred.succeed(done, undefined), Fiber.join(holder)) }
})

/** Two due targets of different workspaces. The tests poison the first. */
const makeDueTargets = Effect.gen(function* () {
  yield* deletePosts
  const [poisoned, neighbor] = yield* makeDuePosts(2, 1)
  if (poisoned === undefined || neighbor === undefined) return yield* Effect.die("No posts were made")
  return { poisoned, neighbor, ...(yield* Repo) }
})

/** A file that expired yesterday. */
const makeExpiredFile = Effect.fn(function* (workspaceId: WorkspaceId) {
  const sql = yield* SqlClient.SqlClient
  const id = yield* nextMediaId
  yield* sql`
    INSERT INTO media (id, workspace_id, status, type, content_type, facts, size, hash, files, created_at, kept_until)
    VALUES (${id}::uuid, ${workspaceId}::uuid, 'ready', 'image', 'image/png', '{}', 1, sha256('a'), '{a}', now(), now() - interval '1 day')`
  return id
})

const quietRepo = Layer.merge(repoLayer, Logger.layer([]))

layer(quietRepo)("a statement that serves several workspaces, as time passes", (it) => {
  it.effect("A delivery that can't be read waits for a minute, and the other deliveries are claimed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { events, neighbor, poisoned, webhooks } = yield* makeSubscribers
      yield* sql`UPDATE events SET created_at = 'infinity' WHERE workspace_id = ${poisoned}::uuid`
      yield* recordEvents(poisoned, 1)
      yield* events.dispatch(10)
      const before = yield* counterOf("webhook_unreadable_deliveries_total")
      const claim = webhooks.claim(someSlots, lease)
      const claims = yield* claim
      assert.sameMembers(
        claims.map(({ workspaceId }) => workspaceId),
        [poisoned, neighbor]
      )
      assert.strictEqual((yield* counterOf("webhook_unreadable_deliveries_total")) - before, 1)
      yield* settleAs(claims, aResult(200))
      yield* TestClock.adjust("59 seconds")
      assert.isEmpty(yield* claim)
      yield* sql`UPDATE events SET created_at = now() WHERE created_at = 'infinity'`
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        (yield* claim).map(({ attempts, workspaceId }) => [attempts, workspaceId]),
        [[1, poisoned]]
      )
    })
  )

  it.effect("A delivery whose attempts can't be counted on does not keep others from being claimed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { events, neighbor, poisoned, webhooks } = yield* makeSubscribers
      yield* events.dispatch(10)
      yield* sql`UPDATE webhook_deliveries SET attempts = 2147483647 WHERE workspace_id = ${poisoned}::uuid`
      const claims = yield* webhooks.claim(someSlots, lease)
      assert.sameMembers(
        claims.map(({ workspaceId }) => workspaceId),
        [poisoned, neighbor]
      )
    })
  )

  it.effect("Deliveries of a webhook that can't be read keep no others from being returned to the queue", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { events, neighbor, poisoned, webhooks } = yield* makeSubscribers
      yield* events.dispatch(10)
      const claim = webhooks.claim(someSlots, lease)
      const claims = yield* claim
      yield* sql`UPDATE webhooks SET failures = 1, failing_since = 'infinity' WHERE workspace_id = ${poisoned}::uuid`
      yield* webhooks.release(claims)
      assert.sameMembers(
        (yield* claim).map(({ workspaceId }) => workspaceId),
        [poisoned, neighbor]
      )
    })
  )

  it.effect("A webhook that can't be read ends its own outcomes alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { events, neighbor, poisoned, webhooks } = yield* makeSubscribers
      yield* events.dispatch(10)
      const claims = yield* webhooks.claim(someSlots, lease)
      yield* sql`UPDATE webhooks SET failures = 1, failing_since = 'infinity' WHERE workspace_id = ${poisoned}::uuid`
      assert.isTrue(Exit.hasDies(yield* Effect.exit(settleAs(claims, aResult(500)))))
      yield* settleAs(
        claims.filter(({ workspaceId }) => workspaceId === neighbor),
        aResult(500)
      )
      assert.deepStrictEqual(yield* sql`SELECT failures FROM webhooks WHERE workspace_id = ${neighbor}::uuid`, [
        { failures: 1 }
      ])
      // Successful deliveries are stored without changing the webhooks' health.
      yield* settleAs(
        claims.filter(({ workspaceId }) => workspaceId === poisoned),
        aResult(200)
      )
      assert.deepStrictEqual(
        yield* sql`SELECT workspace_id AS workspace FROM webhook_deliveries WHERE status = 'delivered'`,
        [{ workspace: poisoned }]
      )
    })
  )

  it.effect("A workspace whose events can't be dispatched waits for a minute, and the others' events go out", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { events, neighbor, poisoned, webhooks } = yield* makeSubscribers
      // Sets a value that is too long for the index.
      yield* sql`UPDATE events SET type = (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 200) i)
        WHERE workspace_id = ${poisoned}::uuid`
      const dispatch = events.dispatch(10)
      assert.deepStrictEqual(yield* dispatch, { events: 1, deliveries: 1 })
      assert.deepStrictEqual(
        (yield* webhooks.claim(someSlots, lease)).map(({ workspaceId }) => workspaceId),
        [neighbor]
      )
      yield* recordEvents(neighbor, 1)
      assert.deepStrictEqual(yield* dispatch, { events: 1, deliveries: 1 })
      yield* sql`UPDATE events SET type = 'post.deleted' WHERE workspace_id = ${poisoned}::uuid`
      assert.deepStrictEqual(yield* dispatch, { events: 0, deliveries: 0 })
      assert.isNotNull((yield* webhooks.backlog).undispatched)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* dispatch, { events: 1, deliveries: 1 })
    })
  )

  it.effect("What is counted of deliveries does not depend on a single time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { poisoned, webhooks } = yield* makeSubscribers
      yield* sql`UPDATE events SET created_at = 'infinity' WHERE workspace_id = ${poisoned}::uuid`
      yield* sql`UPDATE webhooks SET due_at = '-infinity' WHERE workspace_id = ${poisoned}::uuid`
      assert.strictEqual((yield* webhooks.backlog).webhooks, 1)
    })
  )

  it.effect("A notification is stored whatever a platform said", () =>
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace([])
      const { events, notifications } = yield* Repo
      const [post] = yield* makeDuePosts(1, 1)
      if (post === undefined) return assert.fail()
      yield* events.record({
        events: [],
        notifications: [
          {
            workspaceId,
            notification: {
              title: "A post waits",
              message: "No\0 \ud800",
              actionUrl: null,
              event: { type: "post.approval_requested", metadata: { post_id: post.id, scheduled_at: null } }
            }
          }
        ]
      })
      assert.strictEqual((yield* notifications.page(workspaceId, 0, 10)).total, 1)
    })
  )

  it.effect("A count that can't be read does not keep a post's failure from being told", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [post] = yield* makeDuePosts(1, 1)
      if (post === undefined) return assert.fail()
      const { events, notifications } = yield* Repo
      const failure = { platform: "twitter", code: "needs_reconnect", message: "No" } as const
      const record = events.record({
        events: [],
        notifications: [
          {
            workspaceId: post.workspaceId,
            notification: postFailed(
              { workspaceId: post.workspaceId, postId: post.id, status: "failed", content: "Hello", targets: [] },
              [failure],
              post.account
            )
          }
        ]
      })
      yield* record
      for (const [count, next] of [
        ["many", 2],
        [1.5, 2],
        [2147483647, 2],
        [-7, 2],
        [{}, 2],
        [41, 42]
      ] as const) {
        yield* sql`UPDATE notifications SET metadata = metadata || ${JSON.stringify({ count })}::jsonb
          WHERE workspace_id = ${post.workspaceId}::uuid`
        yield* record
        const { data } = yield* notifications.page(post.workspaceId, 0, 10)
        assert.deepStrictEqual(
          data.map(({ title }) => title),
          [`${next} posts were not published on X`]
        )
      }
    })
  )

  it.effect("An expired change that can't be read keeps the access of no other from being ended", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountChanges } = yield* Repo
      const [poisoned, neighbor] = [yield* makeWorkspace([]), yield* makeWorkspace([])]
      for (const workspaceId of [poisoned, neighbor]) {
        const account = {
          platform: "twitter",
          accountId: "a",
          username: "team",
          displayName: null,
          avatarUrl: null,
          serviceUrl: null,
          credentials: Redacted.make("secret")
        } as const
        yield* accountChanges.keep({ workspaceId, account }, {})
      }
      yield* sql`UPDATE account_changes SET platform = 'mastodon' WHERE workspace_id = ${poisoned}::uuid`
      yield* TestClock.adjust("1 hour")
      const ended = yield* accountChanges.takeExpired
      assert.deepStrictEqual(
        ended.map(({ workspaceId }) => workspaceId),
        [neighbor]
      )
    })
  )

  it.effect("A file whose addresses can't be read keeps no other file from being removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { media } = yield* Repo
      yield* sql`DELETE FROM media`
      const poisoned = yield* makeExpiredFile(yield* makeWorkspace([]))
      const neighbor = yield* makeExpiredFile(yield* makeWorkspace([]))
      yield* sql`UPDATE media SET removed_at = now()`
      yield* sql`UPDATE media SET files = '{{a,NULL},{b,c}}' WHERE id = ${poisoned}::uuid`
      assert.deepStrictEqual(
        (yield* media.findRemoved(null, 10)).map(({ hashes, id }) => [id, hashes.join(" ")]),
        [
          [poisoned, "a b c"],
          [neighbor, "a"]
        ]
      )
    })
  )

  it.effect("What has expired of one workspace and is locked does not hold up another's login or authorization", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { oauthStates, sessions } = yield* Repo
      const [poisoned, neighbor] = [yield* makeWorkspace([]), yield* makeWorkspace([])]
      const begin = (workspaceId: WorkspaceId, state: string) =>
        oauthStates.begin(state, { platform: "twitter", workspaceId, verifier: Redacted.make("verifier") })
      yield* begin(poisoned, "first")
      const userId = UserId.make(yield* nextMediaId)
      yield* sql`INSERT INTO users (id, email, password, created_at) VALUES (${userId}::uuid, 'a@team.test', 'x', now())`
      yield* sql`INSERT INTO members (workspace_id, user_id, created_at) VALUES (${poisoned}::uuid, ${userId}::uuid, now())`
      yield* sql`INSERT INTO sessions (hash, user_id, workspace_id, created_at, expires_at)
        VALUES (sha256('a'), ${userId}::uuid, ${poisoned}::uuid, 'epoch', 'epoch')`
      const locked = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(
        sql.withTransaction(
          sql`SELECT FROM authorisations, sessions WHERE sessions.user_id = ${userId}::uuid FOR UPDATE`.pipe(
            Effect.andThen(Deferred.succeed(locked, undefined)),
            Effect.andThen(Deferred.await(done))
          )
        )
      )
      yield* Deferred.await(locked)
      yield* TestClock.adjust("1 hour")
      yield* begin(neighbor, "second")
      assert.strictEqual((yield* Effect.flip(sessions.open({ workspaceId: neighbor, userId })))._tag, "NotMember")
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(holder)
    })
  )
})

layer(quietRepo, { excludeTestServices: true })("a statement that serves several workspaces", (it) => {
  it.effect("A target whose attempts can't be counted on does not keep others from being claimed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { neighbor, poisoned, targets } = yield* makeDueTargets
      yield* sql`UPDATE post_targets SET attempts = 2147483647, looks = 2147483647, sent_at = now(), prepared = '{}'
        WHERE id = ${poisoned.targetId}::uuid`
      const claims = yield* targets.claim(10, lease)
      assert.sameMembers(
        claims.map(({ targetId }) => targetId),
        [poisoned.targetId, neighbor.targetId]
      )
    })
  )

  it.effect("What is counted of due targets does not depend on a single time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { neighbor, poisoned, targets } = yield* makeDueTargets
      yield* sql`UPDATE post_targets SET due_at = '-infinity' WHERE id = ${poisoned.targetId}::uuid`
      assert.strictEqual((yield* targets.backlog).due, 2)
      yield* sql`UPDATE post_targets SET due_at = 'infinity' WHERE id = ANY(${[poisoned.targetId, neighbor.targetId]}::uuid[])`
      assert.isFalse((yield* targets.nextDue(yield* DateTime.now)).isAnyLeft)
    })
  )

  it.effect("An outcome is stored whatever a platform said, with those that were settled beside it", () =>
    Effect.gen(function* () {
      const { targets } = yield* makeDueTargets
      const [first, second] = yield* targets.claim(10, lease)
      if (first === undefined || second === undefined) return assert.fail()
      const error = { ...targetError("rejected"), message: "No\0 \ud800" }
      const { lost, posts } = yield* targets.settleAll(
        [
          { claim: first, settlement: { _tag: "Failed", error } },
          {
            claim: second,
            settlement: { _tag: "Published", publication: { platformPostId: "1\0", url: "https://x.test/\0" } }
          }
        ],
        () => Effect.void
      )
      assert.isEmpty(lost)
      assert.sameMembers(
        posts.map(({ status }) => status),
        ["failed", "published"]
      )
    })
  )

  it.effect("An account of a platform that this version does not know keeps no profile from being looked up", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [poisoned, neighbor] = [yield* makeWorkspace(["twitter"]), yield* makeWorkspace(["twitter"])]
      const { integrations, profiles } = yield* Repo
      yield* sql`UPDATE integrations SET renewed_at = now(), profile_at = NULL WHERE workspace_id = ANY(${[poisoned, neighbor]}::uuid[])`
      yield* sql`UPDATE integrations SET platform = 'mastodon' WHERE workspace_id = ${poisoned}::uuid`
      const [account] = yield* integrations.list(neighbor)
      assert.deepStrictEqual(
        (yield* profiles.takeStale(10)).map(({ id }) => id),
        [account?.id]
      )
    })
  )

  it.effect("A file whose attempts can't be counted on keeps no other from being claimed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { media } = yield* Repo
      yield* sql`DELETE FROM media`
      const workspaces = [yield* makeWorkspace(), yield* makeWorkspace()]
      yield* Effect.forEach(workspaces, makeExpiredFile)
      yield* sql`UPDATE media SET status = 'processing', next_at = 'epoch', attempts = 2147483647`
      const claimed = [yield* media.claim("Process", lease), yield* media.claim("Process", lease)]
      assert.sameMembers(
        claimed.flatMap(Option.toArray).map(({ workspaceId }) => workspaceId),
        workspaces
      )
      yield* sql`DELETE FROM media`
    })
  )

  it.effect("A post whose time can't be counted on keeps no other workspace's files from being swept", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { media, posts } = yield* Repo
      const [poisoned, neighbor] = [yield* makeWorkspace(), yield* makeWorkspace()]
      const kept = yield* makeExpiredFile(poisoned)
      const expired = yield* makeExpiredFile(neighbor)
      const { id } = yield* posts.create(poisoned, plan(DateTime.makeUnsafe("2100-01-01T00:00:00.000Z")))
      yield* sql`INSERT INTO post_media (workspace_id, post_id, media_id, position)
        VALUES (${poisoned}::uuid, ${id}::uuid, ${kept}::uuid, 0)`
      yield* sql`UPDATE posts SET status = 'published', published_at = '294276-12-31' WHERE id = ${id}::uuid`
      assert.strictEqual(yield* media.extendNeeded(10), 1)
      yield* sql`UPDATE media SET kept_until = now() - interval '1 day' WHERE id = ${kept}::uuid`
      assert.strictEqual(yield* media.markExpired(10), 1)
      const removed = yield* media.findRemoved(null, 10)
      assert.deepStrictEqual(
        removed.map((file) => file.id),
        [expired]
      )
    })
  )

  it.effect("A card whose picture has no size keeps no other workspace's pictures from being counted", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const { media } = yield* Repo
      const thumbs = [{ size: "large" }, {}, { size: 1.5 }, { size: -1 }, { size: 1e300 }, { size: 5 }]
      for (const [index, thumb] of thumbs.entries()) {
        const [post] = yield* makeDuePosts(1, 1)
        const card = JSON.stringify({ thumb: { ...thumb, hash: String(index).repeat(64) } })
        yield* sql`UPDATE posts SET card = ${card}::jsonb WHERE id = ${post?.id ?? ""}::uuid`
      }
      const counted = yield* media.countCardPictures(null, 4)
      assert.isNotNull(counted)
      assert.lengthOf(yield* sql`SELECT FROM card_pictures`, 4)
      assert.isNull(yield* media.countCardPictures(counted, 4))
      assert.lengthOf(yield* sql`SELECT FROM card_pictures`, thumbs.length)
      assert.deepStrictEqual(
        yield* sql`SELECT hash, size::int AS size FROM card_pictures WHERE hash = ${"5".repeat(64)}`,
        [{ hash: "5".repeat(64), size: 5 }]
      )
    })
  )

  it.effect("A deleted target without a text keeps no other workspace's attempt from looking", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const { neighbor, poisoned, targets } = yield* makeDueTargets
      yield* sql`INSERT INTO deleted_targets (id, workspace_id, platform, account_id, texts, sent_until, deleted_at)
        VALUES (gen_random_uuid(), ${poisoned.workspaceId}::uuid, 'twitter', 'a', '{NULL,Hello}', now(), now())`
      const claims = yield* targets.claim(10, lease)
      const claim = claims.find(({ targetId }) => targetId === neighbor.targetId)
      if (claim === undefined) return assert.fail()
      const since = DateTime.subtractDuration(yield* DateTime.now, Duration.hours(1))
      assert.deepStrictEqual(yield* targets.unresolvedOthers(claim, since), ["Hello"])
    })
  )

  it.effect("An intent that can't be stored fails alone among those that begin at once", () =>
    Effect.gen(function* () {
      const { targets } = yield* makeDueTargets
      const [first, second] = yield* targets.claim(10, lease)
      if (first === undefined || second === undefined) return assert.fail()
      const [poisoned, neighbor] = yield* Effect.all(
        [
          Effect.exit(targets.beginSend(first, { text: "\0" }, lease)),
          Effect.exit(targets.beginSend(second, { text: "Hello" }, lease))
        ],
        { concurrency: 2 }
      )
      assert.isTrue(Exit.hasDies(poisoned))
      assert.isTrue(Exit.isSuccess(neighbor))
      yield* targets.settle(second, published)
    })
  )

  it.effect("An intent of a batch that can't be stored fails alone, and so does one whose claim was lost", () =>
    Effect.gen(function* () {
      yield* deletePosts
      yield* makeDuePosts(4, 1)
      const { targets } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const [first, poisoned, lost, last] = yield* targets.claim(10, lease)
      if (first === undefined || poisoned === undefined || lost === undefined || last === undefined)
        return assert.fail()
      yield* targets.release(lost)
      const { call } = makeBatch(batchBounds.storeIntents, (sends: Arr.NonEmptyReadonlyArray<Send>) =>
        targets.beginSends(sends, lease)
      )
      const stored = yield* Effect.forEach(
        [
          { claim: first, prepared: { text: "first" } },
          { claim: poisoned, prepared: { text: "\0" } },
          { claim: lost, prepared: { text: "lost" } },
          { claim: last, prepared: { text: "last" } }
        ],
        (send) => Effect.exit(call(send)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        stored.map((exit) => (Exit.isSuccess(exit) ? "stored" : Exit.hasDies(exit) ? "dies" : "fails")),
        ["stored", "dies", "fails", "stored"]
      )
      const rows = yield* sql`SELECT prepared ->> 'text' AS text FROM post_targets
        WHERE sent_at IS NOT NULL AND send_token = claim_token ORDER BY 1`
      assert.deepStrictEqual(rows, [{ text: "first" }, { text: "last" }])
    })
  )

  it.effect("Of two claims of one target in a batch the one that was lost stores nothing", () =>
    Effect.gen(function* () {
      const { targets } = yield* makeDueTargets
      const [held] = yield* targets.claim(1, lease)
      if (held === undefined) return assert.fail()
      const lost = { ...held, token: ClaimToken.make("01a1fc17-0000-7000-8000-000000000002") }
      const stored = yield* targets.beginSends(
        [
          { claim: held, prepared: { text: "held" } },
          { claim: lost, prepared: { text: "lost" } }
        ],
        lease
      )
      assert.deepStrictEqual(stored.map(Exit.isSuccess), [true, false])
    })
  )

  it.effect("An intent whose row somebody has locked keeps no other waiting, and is stored once the row is free", () =>
    Effect.gen(function* () {
      const { targets } = yield* makeDueTargets
      const [locked, free] = yield* targets.claim(10, lease)
      if (locked === undefined || free === undefined) return assert.fail()
      const { unlock } = yield* lockTargets([locked])
      const stored = yield* targets.beginSends(
        [
          { claim: locked, prepared: { text: "locked" } },
          { claim: free, prepared: { text: "free" } }
        ],
        lease
      )
      assert.deepStrictEqual(
        stored.map((exit) => Option.getOrUndefined(Exit.findErrorOption(exit))?._tag),
        ["ClaimUncertain", undefined]
      )
      const waiting = yield* Effect.forkChild(targets.beginSend(locked, { text: "locked" }, lease))
      yield* targets.beginSend(free, { text: "free" }, lease)
      yield* locksAreAwaited(1)
      yield* unlock
      yield* Fiber.join(waiting)
    })
  )

  it.effect.each([
    ["Intents", (targets: Targets, claim: Claim) => targets.beginSend(claim, { text: claim.text }, lease)],
    ["Releases", (targets: Targets, claim: Claim) => targets.release(claim)]
  ] as const)("%s that wait for locked rows leave connections to claims", ([_, write]) =>
    Effect.gen(function* () {
      yield* deletePosts
      yield* makeDuePosts(20, 1)
      const { targets } = yield* Repo
      const claims = yield* targets.claim(100, lease)
      const { unlock } = yield* lockTargets(claims)
      const waiting = yield* Effect.forEach(claims, (claim) => Effect.forkChild(write(targets, claim)))
      yield* locksAreAwaited(4)
      assert.deepStrictEqual(yield* targets.claim(10, lease), [])
      yield* locksAreAwaited(4)
      yield* unlock
      yield* Effect.forEach(waiting, Fiber.join)
    })
  )
})
