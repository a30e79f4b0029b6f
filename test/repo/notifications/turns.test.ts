import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { WorkspaceId } from "../../../src/domain/ids.ts"
import { SendsMail } from "../../../src/repo/notifications/SendsMail.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeChannel } from "../../chat/world.ts"
import { failPosts, forgetDeliveries, mailRepoLayer } from "../../mail/world.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { anotherRepo } from "../../support/database/testDatabase.ts"
import { makeMember } from "../../support/http/team.ts"

const lease = Duration.seconds(60)

/** Due mail of a workspace: copies of one message to its admin. */
const queueMail = Effect.fn("queueMail")(function* (count: number) {
  const sql = yield* SqlClient.SqlClient
  const workspaceId = yield* makeWorkspace([])
  const { id } = yield* makeMember(workspaceId)
  yield* sql`
    INSERT INTO notification_deliveries (id, workspace_id, kind, user_id, type, notification_ids, count, status, sealed,
      due_at, next_at, created_at)
    SELECT gen_random_uuid(), ${workspaceId}::uuid, 'mail', ${id}::uuid, 'post.failed', '{}', 1, 'pending', true,
      'epoch', 'epoch', 'epoch'
    FROM generate_series(1, ${count}::int)`
  return workspaceId
})

/** Due messages to a channel. */
const queueChat = Effect.fn("queueChat")(function* (workspaceId: WorkspaceId, count: number) {
  const sql = yield* SqlClient.SqlClient
  const { id } = yield* makeChannel(workspaceId)
  yield* sql`
    INSERT INTO notification_deliveries (id, workspace_id, kind, channel_id, type, notification_ids, count, status, sealed,
      due_at, next_at, created_at)
    SELECT gen_random_uuid(), ${workspaceId}::uuid, 'slack', ${id}::uuid, 'post.failed', '{}', 1, 'pending', true,
      'epoch', 'epoch', 'epoch'
    FROM generate_series(1, ${count}::int)`
  return id
})

const sent = { status: "sent", nextAt: null, error: null } as const

layer(Layer.merge(mailRepoLayer, Logger.layer([])))("Turns of messages", (it) => {
  it.effect("A workspace with 5,000 due messages leaves every claim a place for others", () =>
    Effect.gen(function* () {
      yield* forgetDeliveries
      const { deliveries } = yield* Repo
      yield* queueMail(5_000)
      yield* deliveries.claimMail(4, lease)
      const others = yield* Effect.replicateEffect(queueMail(1), 3)
      const claimed = (yield* deliveries.claimMail(4, lease)).map(({ workspaceId }) => workspaceId)
      assert.includeMembers(claimed, others)
    })
  )

  it.effect("With more workspaces than places, each has its turn before any has a second", () =>
    Effect.gen(function* () {
      yield* forgetDeliveries
      const { deliveries } = yield* Repo
      const all = yield* Effect.replicateEffect(queueMail(50), 10)
      const turns: Array<string> = []
      while (turns.length < 20) {
        const claims = yield* deliveries.claimMail(2, lease)
        turns.push(...claims.map(({ workspaceId }) => workspaceId))
        yield* Effect.forEach(claims, (claim) => deliveries.settleMail(claim, sent))
      }
      assert.sameMembers(turns.slice(0, 10), all)
      assert.sameMembers(turns.slice(10), all)
    })
  )

  it.effect("Within a workspace the message that has been due for longest is first", () =>
    Effect.gen(function* () {
      yield* forgetDeliveries
      const sql = yield* SqlClient.SqlClient
      const { deliveries } = yield* Repo
      const workspaceId = yield* queueMail(3)
      const rows = yield* sql<{ readonly id: string }>`
        WITH ordered AS (SELECT id, row_number() OVER (ORDER BY id DESC) AS place FROM notification_deliveries
          WHERE workspace_id = ${workspaceId}::uuid)
        UPDATE notification_deliveries d SET next_at = 'epoch'::timestamptz - place * interval '1 second'
        FROM ordered WHERE d.id = ordered.id RETURNING d.id`
      const ids = rows.map(({ id }) => id).toSorted()
      const claims = yield* Effect.replicateEffect(deliveries.claimMail(1, lease), 3)
      assert.deepStrictEqual(
        claims.flat().map(({ id }) => id),
        ids
      )
    })
  )

  it.effect("Every message is claimed once by three processes, however they interleave", () =>
    Effect.gen(function* () {
      yield* forgetDeliveries
      const another = Effect.provideService(anotherRepo, SendsMail, true)
      const repos = [yield* Repo, yield* another, yield* another]
      yield* Effect.replicateEffect(queueMail(20), 5)
      const ids: Array<string> = []
      let idle = 0
      while (idle < 3) {
        const claims = (yield* Effect.forEach(repos, ({ deliveries }) => deliveries.claimMail(4, lease), {
          concurrency: "unbounded"
        })).flat()
        idle = claims.length === 0 ? idle + 1 : 0
        ids.push(...claims.map(({ id }) => id))
      }
      assert.lengthOf(ids, 100)
      assert.lengthOf(new Set(ids), 100)
    })
  )

  it.effect("A channel has one message in flight, whoever claims, and a workspace at most four", () =>
    Effect.gen(function* () {
      yield* forgetDeliveries
      const repos = [yield* Repo, yield* anotherRepo, yield* anotherRepo]
      const workspaceId = yield* makeWorkspace([])
      const channels = yield* Effect.replicateEffect(queueChat(workspaceId, 20), 6)
      const claims = (yield* Effect.forEach(repos, ({ deliveries }) => deliveries.claimChat(16, lease), {
        concurrency: "unbounded"
      })).flat()
      const perChannel = new Set(claims.map(({ channelId }) => channelId))
      assert.strictEqual(perChannel.size, claims.length)
      for (const { channelId } of claims) assert.include(channels, channelId)
      const { deliveries } = yield* Repo
      const rest = yield* deliveries.claimChat(16, lease)
      assert.isAtMost(claims.length + rest.length, 4 * repos.length)
      assert.lengthOf(yield* deliveries.claimChat(16, lease), 0)
      const other = yield* makeWorkspace([])
      const free = yield* queueChat(other, 1)
      assert.deepStrictEqual(
        (yield* deliveries.claimChat(1, lease)).map(({ channelId }) => channelId),
        [free]
      )
    })
  )

  it.effect("Channels that asked for a pause take no turns of others", () =>
    Effect.gen(function* () {
      yield* forgetDeliveries
      const sql = yield* SqlClient.SqlClient
      const { deliveries } = yield* Repo
      for (let index = 0; index < 100; index++) yield* queueChat(yield* makeWorkspace([]), 1)
      yield* sql`UPDATE channels SET held_until = 'epoch'::timestamptz + interval '1 hour'`
      const workspaceId = yield* makeWorkspace([])
      const free = yield* queueChat(workspaceId, 1)
      assert.deepStrictEqual(
        (yield* deliveries.claimChat(1, lease)).map(({ channelId }) => channelId),
        [free]
      )
    })
  )

  it.effect("A claim of the version before delays a message to a channel by its lease, and nothing is lost", () =>
    Effect.gen(function* () {
      yield* forgetDeliveries
      const sql = yield* SqlClient.SqlClient
      const { deliveries } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      yield* makeChannel(workspaceId)
      yield* failPosts(workspaceId)
      yield* deliveries.dispatch(500)
      yield* TestClock.adjust("5 seconds")
      // It does not know channels, and drops the row from its answer.
      yield* sql`UPDATE notification_deliveries SET attempts = attempts + 1, sealed = true,
        claim_token = gen_random_uuid(), next_at = next_at + interval '60 seconds' WHERE channel_id IS NOT NULL`
      assert.lengthOf(yield* deliveries.claimChat(4, lease), 0)
      yield* TestClock.adjust("60 seconds")
      const [claim] = yield* deliveries.claimChat(4, lease)
      assert.deepInclude(claim, { type: "post.failed", count: 1, missing: 0 })
    })
  )

  it.effect("A delivery is to a member or to a channel, and never to both or neither", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* makeWorkspace([])
      const member = yield* makeMember(workspaceId)
      const channel = yield* queueChat(workspaceId, 1)
      const wrong = [
        ["mail", null, null],
        ["mail", member.id, channel],
        ["mail", null, channel],
        ["slack", member.id, null],
        ["slack", member.id, channel],
        ["discord", null, null]
      ] as const
      for (const [kind, userId, channelId] of wrong) {
        const insert = sql`
          INSERT INTO notification_deliveries (id, workspace_id, kind, user_id, channel_id, type, notification_ids, count,
            status, due_at, next_at, created_at)
          VALUES (gen_random_uuid(), ${workspaceId}::uuid, ${kind}, ${userId}::uuid, ${channelId}::uuid, 'x', '{}', 1,
            'pending', now(), now(), now())`
        const { cause } = yield* Effect.flip(insert)
        assert.include(JSON.stringify(cause), "notification_deliveries_has_one_receiver")
      }
    })
  )
})
