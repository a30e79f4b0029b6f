import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { IdGenerator, makeIdGenerator, type UserId, type WorkspaceId } from "../../../src/domain/ids.ts"
import type { MailMode } from "../../../src/domain/plain/mail.ts"
import { planMail } from "../../../src/mail/notificationMail.ts"
import { SendsMail } from "../../../src/repo/notifications/SendsMail.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { anotherRepo, repoLayer } from "../../support/database/testDatabase.ts"
import { makeMember, notify } from "../../support/http/team.ts"
import { deliveriesOf, failPosts, forgetDeliveries, mailRepoLayer } from "../../mail/world.ts"

const start = Effect.gen(function* () {
  yield* forgetDeliveries
  const workspaceId = yield* makeWorkspace()
  const admin = yield* makeMember(workspaceId)
  const { deliveries, members } = yield* Repo
  return { workspaceId, admin, deliveries, members, sql: yield* SqlClient.SqlClient }
})

const choose = Effect.fn("choose")(function* (workspaceId: WorkspaceId, userId: UserId, type: string, mode: MailMode) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO notification_preferences (workspace_id, user_id, type, mode)
    VALUES (${workspaceId}::uuid, ${userId}::uuid, ${type}, ${mode})`
})

/** The ids of other tests may be ahead of this test's clock. */
const withOwnIds = Effect.provideService(IdGenerator, makeIdGenerator())

const lease = Duration.seconds(60)

const claimAll = Effect.gen(function* () {
  const { deliveries } = yield* Repo
  yield* deliveries.dispatch(500)
  yield* TestClock.adjust("5 seconds")
  return yield* deliveries.claimMail(100, lease)
})

const places = {
  baseUrl: "https://posts.example",
  domain: "publisher.example",
  unsubscribeUrl: "https://posts.example/mail/off"
}

layer(Layer.merge(mailRepoLayer, Logger.layer([])))("Deliveries of notifications", (it) => {
  it.effect("Each member who gets a type has one delivery, and a notification is dispatched once", () =>
    Effect.gen(function* () {
      const { admin, deliveries, workspaceId } = yield* start
      const editor = yield* makeMember(workspaceId, "editor")
      yield* makeMember(workspaceId, "viewer")
      const stranger = yield* makeMember(yield* makeWorkspace([]))
      yield* failPosts(workspaceId, 3)
      assert.strictEqual(yield* deliveries.dispatch(500), 3)
      assert.strictEqual(yield* deliveries.dispatch(500), 0)
      yield* TestClock.adjust("5 seconds")
      const claims = yield* deliveries.claimMail(100, lease)
      assert.sameMembers(
        claims.map(({ email }) => email),
        [admin.email, editor.email]
      )
      for (const claim of claims) assert.deepInclude(claim, { type: "post.failed", count: 3, attempts: 1, missing: 0 })
      assert.notInclude(
        claims.map(({ email }) => email),
        stranger.email
      )
      assert.lengthOf(yield* deliveries.claimMail(100, lease), 0)
    })
  )

  it.effect("Two processes dispatch and claim at the same time, and nobody gets anything twice", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* start
      for (let index = 0; index < 5; index++) yield* makeMember(workspaceId, "editor")
      const another = Effect.provideService(anotherRepo, SendsMail, true)
      const repos = [yield* Repo, yield* another, yield* another]
      yield* failPosts(workspaceId, 60)
      const dispatched = yield* Effect.forEach([...repos, ...repos], ({ deliveries }) => deliveries.dispatch(20), {
        concurrency: "unbounded"
      })
      const rest = yield* repos[0]!.deliveries.dispatch(500)
      assert.strictEqual(
        dispatched.reduce((sum, count) => sum + count, rest),
        60
      )
      yield* TestClock.adjust("5 seconds")
      const claims = (yield* Effect.forEach(repos, ({ deliveries }) => deliveries.claimMail(4, lease), {
        concurrency: "unbounded"
      })).flat()
      const others = yield* repos[0]!.deliveries.claimMail(100, lease)
      assert.deepStrictEqual(
        [...claims, ...others].map(({ count }) => count),
        Array.from({ length: 6 }, () => 60)
      )
      assert.lengthOf(new Set([...claims, ...others].map(({ userId }) => userId)), 6)
    })
  )

  it.effect("Published posts await a delivery only where a member wants mail about them", () =>
    Effect.gen(function* () {
      const { admin, deliveries, workspaceId } = yield* start
      yield* notify(workspaceId)
      assert.strictEqual(yield* deliveries.dispatch(500), 0)
      yield* choose(workspaceId, admin.id, "post.published", "now")
      yield* notify(workspaceId)
      assert.strictEqual(yield* deliveries.dispatch(500), 1)
      assert.lengthOf(yield* deliveriesOf(workspaceId), 1)
    })
  )

  it.effect("What the version before writes is taken up for a day, and nothing older", () =>
    Effect.gen(function* () {
      const { deliveries, sql, workspaceId } = yield* start
      yield* failPosts(workspaceId, 2)
      yield* sql`UPDATE notifications SET awaits_delivery = DEFAULT WHERE workspace_id = ${workspaceId}::uuid`
      yield* TestClock.adjust("24 hours")
      assert.strictEqual(yield* deliveries.dispatch(500), 2)
      yield* failPosts(workspaceId, 1)
      yield* TestClock.adjust(Duration.sum(Duration.hours(24), Duration.millis(1)))
      assert.strictEqual(yield* deliveries.dispatch(500), 0)
    }).pipe(withOwnIds)
  )

  it.effect("A failure that was published after all, and an approval that was given, are not mailed", () =>
    Effect.gen(function* () {
      const { sql, workspaceId } = yield* start
      yield* failPosts(workspaceId, 1)
      yield* sql`UPDATE posts SET status = 'published', published_at = now() WHERE workspace_id = ${workspaceId}::uuid`
      const [claim] = yield* claimAll
      if (claim === undefined) return assert.fail("Nothing was claimed")
      assert.deepInclude(planMail(claim, places, yield* DateTime.now), {
        _tag: "Drop",
        reason: "Everything in it was settled before it was sent"
      })
    })
  )

  it.effect("A member who was removed before the sending gets nothing, and one who turned it off neither", () =>
    Effect.gen(function* () {
      const { deliveries, members, workspaceId } = yield* start
      const [removed, changed] = [yield* makeMember(workspaceId, "editor"), yield* makeMember(workspaceId, "editor")]
      yield* failPosts(workspaceId, 1)
      yield* deliveries.dispatch(500)
      yield* members.remove({ workspaceId, userId: removed.id })
      yield* choose(workspaceId, changed.id, "post.failed", "off")
      yield* TestClock.adjust("5 seconds")
      const now = yield* DateTime.now
      const plans = (yield* deliveries.claimMail(100, lease)).map((claim) => [
        claim.userId,
        planMail(claim, places, now)._tag
      ])
      assert.notInclude(
        plans.map(([userId]) => userId),
        removed.id
      )
      assert.deepInclude(plans, [changed.id, "Drop"])
    })
  )

  it.effect("The address of the moment is used", () =>
    Effect.gen(function* () {
      const { admin, deliveries, sql, workspaceId } = yield* start
      yield* failPosts(workspaceId, 1)
      yield* deliveries.dispatch(500)
      yield* sql`UPDATE users SET email = 'moved@example.com' WHERE id = ${admin.id}::uuid`
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(
        (yield* deliveries.claimMail(100, lease)).map(({ email }) => email),
        ["moved@example.com"]
      )
    })
  )

  it.effect("A digest collects all types until its hour", () =>
    Effect.gen(function* () {
      const { admin, deliveries, sql, workspaceId } = yield* start
      for (const type of ["post.failed", "post.published"]) yield* choose(workspaceId, admin.id, type, "digest")
      yield* sql`INSERT INTO queues (workspace_id, time_zone, entries, revision, updated_at)
        VALUES (${workspaceId}::uuid, 'Asia/Tokyo', '[]', 2, now())`
      const from = yield* DateTime.now
      const due = DateTime.addDuration(from, Duration.hours(23 - DateTime.toPartsUtc(from).hour))
      yield* failPosts(workspaceId, 2)
      yield* deliveries.dispatch(500)
      yield* notify(workspaceId)
      yield* deliveries.dispatch(500)
      yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.startOf(due, "hour")) - 1)
      assert.lengthOf(yield* deliveries.claimMail(100, lease), 0)
      yield* TestClock.adjust(1)
      const [claim, ...others] = yield* deliveries.claimMail(100, lease)
      assert.lengthOf(others, 0)
      assert.deepInclude(claim, { type: "digest", count: 3, userId: admin.id })
    })
  )

  it.effect("Rows of one workspace that can't be read keep no other workspace's mail from being sent", () =>
    Effect.gen(function* () {
      const { admin: poisoned, deliveries, sql, workspaceId } = yield* start
      const neighborId = yield* makeWorkspace([])
      const neighbor = yield* makeMember(neighborId)
      yield* choose(workspaceId, poisoned.id, "webhook.disabled", "digest")
      yield* sql`INSERT INTO queues (workspace_id, time_zone, entries, revision, updated_at)
        VALUES (${workspaceId}::uuid, 'Nowhere/At-all', '[]', 2, now())`
      yield* failPosts(workspaceId, 1)
      yield* failPosts(neighborId, 1)
      yield* sql`UPDATE notifications SET created_at = 'infinity', metadata = metadata || '{"count": "99999999999"}'
        WHERE workspace_id = ${workspaceId}::uuid`
      yield* deliveries.dispatch(500)
      yield* failPosts(workspaceId, 1)
      yield* sql`UPDATE notification_deliveries SET count = 2147483647, attempts = 2147483647
        WHERE workspace_id = ${workspaceId}::uuid`
      yield* deliveries.dispatch(500)
      yield* TestClock.adjust("5 seconds")
      const claims = yield* deliveries.claimMail(100, lease)
      assert.sameMembers(
        claims.map(({ email }) => email),
        [poisoned.email, neighbor.email]
      )
    })
  )

  it.effect("Old deliveries are deleted", () =>
    Effect.gen(function* () {
      const { deliveries, workspaceId } = yield* start
      yield* failPosts(workspaceId, 1)
      yield* deliveries.dispatch(500)
      const now = yield* DateTime.now
      assert.strictEqual(yield* deliveries.removeBefore(now, 10), 0)
      assert.strictEqual(yield* deliveries.removeBefore(DateTime.addDuration(now, "1 second"), 10), 1)
    }).pipe(withOwnIds)
  )
})

layer(Layer.merge(repoLayer, Logger.layer([])))("A service without mail", (it) => {
  it.effect("Its notifications await no delivery, even after mail is turned on", () =>
    Effect.gen(function* () {
      const { deliveries, workspaceId } = yield* start
      yield* failPosts(workspaceId, 2)
      assert.strictEqual(yield* deliveries.dispatch(500), 0)
    })
  )
})
