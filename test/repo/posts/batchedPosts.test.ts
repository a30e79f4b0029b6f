import { assert, layer } from "@effect/vitest"
import { type Cause, DateTime, Duration, Effect, Exit, Fiber, Layer, Logger, Queue, Deferred } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { PostPlan } from "../../../src/domain/posts/postPlan.ts"
import type { PostId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { plan } from "../../support/database/fixtures.ts"
import { later, makeProgram, someLockIsAwaited, together, transactionsOf } from "../../support/database/programs.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeWebhook } from "../../support/database/webhookFixtures.ts"

const created = <E>(exits: ReadonlyArray<Exit.Exit<PostId, E>>) =>
  exits.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value] : []))

const failure = <A, E>(exit: Exit.Exit<A, E> | undefined): Cause.Cause<E>["reasons"][number] | undefined =>
  exit !== undefined && Exit.isFailure(exit) ? exit.cause.reasons[0] : undefined

const tagOf = <A, E extends { readonly _tag: string }>(exit: Exit.Exit<A, E> | undefined) => {
  const reason = failure(exit)
  return reason?._tag === "Fail" ? reason.error._tag : reason?._tag
}

/** A post's rows, without its ids and the positions of its events. */
const storedRows = Effect.fnUntraced(function* (id: PostId) {
  const sql = yield* SqlClient.SqlClient
  const [rows] = yield* sql`SELECT
    (SELECT to_jsonb(p) - 'id' FROM posts p WHERE id = ${id}::uuid) AS post,
    (SELECT jsonb_agg(to_jsonb(t) - '{id,post_id}'::text[] ORDER BY position) FROM post_targets t WHERE post_id = ${id}::uuid) AS targets,
    (SELECT jsonb_agg(to_jsonb(e) - '{id,post_id,position}'::text[] || jsonb_build_object(
      'data', e.data - 'post_id', 'names', e.data ->> 'post_id' = e.post_id::text, 'placed', e.position IS NOT NULL))
      FROM events e WHERE post_id = ${id}::uuid) AS events`
  return rows
})

const wholePlan: PostPlan = {
  ...plan(later, ["bluesky", "twitter"]),
  content: 'A "quoted" text\nof two lines with 🍕 and \\ https://example.com',
  tags: ["release", 'a "tag"'],
  overrides: { twitter: "Another text" },
  settings: { twitter: { who_can_reply: "following" } },
  thread: [{ content: "The second part", platform_overrides: {}, media: [], card: null, platforms: ["bluesky"] }]
}

const quietRepo = Layer.merge(repoLayer, Logger.layer([]))

layer(quietRepo)("posts that programs create at the same moment", (it) => {
  it.effect("Those of several workspaces are stored by one statement, 16 at most", () =>
    Effect.gen(function* () {
      const [one, another] = [yield* makeProgram(), yield* makeProgram(Duration.hours(1))]
      const pair = created(yield* together([one.create(), another.create()]))
      assert.strictEqual(pair.length, 2)
      assert.strictEqual(yield* transactionsOf(pair), 1)
      const many = created(yield* together(Array.from({ length: 17 }, () => one.create())))
      assert.strictEqual(many.length, 17)
      assert.strictEqual(yield* transactionsOf(many), 2)
    })
  )

  it.effect.each([
    ["scheduled post", wholePlan, false],
    ["scheduled post of a workspace with a webhook", wholePlan, true],
    ["draft", { ...wholePlan, status: "draft" }, false],
    ["draft without a time", plan(null), false]
  ] as const)("A %s is stored as its own program creates it alone, whatever is beside it", ([, post, isFollowed]) =>
    Effect.gen(function* () {
      const { transaction } = yield* Repo
      const [one, another] = [yield* makeProgram(), yield* makeProgram()]
      yield* makeWebhook((isFollowed ? one : another).workspaceId)
      const carded = {
        ...post,
        card: { url: "https://example.com", title: "An example", description: "", thumb: null }
      }
      const beside = { ...plan(DateTime.add(later, { days: 1 }), ["twitter"]), content: "Another text" }
      const [first, second] = created(yield* together([one.create(carded), another.create(beside)]))
      if (first === undefined || second === undefined) return yield* Effect.die("A post is missing")
      assert.strictEqual(yield* transactionsOf([first, second]), 1)
      const alone = yield* transaction(one.create(carded))
      assert.deepStrictEqual(yield* storedRows(first), yield* storedRows(alone))
      const besideAlone = yield* transaction(another.create(beside))
      assert.deepStrictEqual(yield* storedRows(second), yield* storedRows(besideAlone))
    })
  )

  it.effect("One that nobody may create, or that can't be stored, fails alone and says why", () =>
    Effect.gen(function* () {
      const { apiKeys, integrations, posts } = yield* Repo
      const expired = yield* makeProgram(Duration.minutes(1))
      const [revoked, unconnected, poisoned, neighbor] = [
        yield* makeProgram(),
        yield* makeProgram(),
        yield* makeProgram(),
        yield* makeProgram()
      ]
      yield* apiKeys.revoke(revoked.by.author.id)
      yield* TestClock.adjust("1 minute")
      const [account] = yield* integrations.list(unconnected.workspaceId)
      if (account !== undefined) yield* integrations.disconnect(account.id)
      const refused = yield* together([
        revoked.create(),
        expired.create(),
        // Uses another workspace's key, which no request can.
        Effect.map(posts.create(unconnected.workspaceId, plan(later), neighbor.by), ({ id }) => id),
        unconnected.create(plan(later, ["twitter", "bluesky"])),
        neighbor.create()
      ])
      assert.deepStrictEqual(refused.map(tagOf), ["KeyEnded", "KeyEnded", "Die", "IntegrationNotConnected", undefined])
      const [first, second] = yield* together([poisoned.create({ ...plan(later), content: "\0" }), neighbor.create()])
      assert.strictEqual(tagOf(first), "Die")
      assert.strictEqual(created([second ?? Exit.die("missing")]).length, 1)
    })
  )

  it.effect.each([
    ["account", "integrations", "UPDATE"],
    // The lock of a revocation.
    ["key", "api_keys", "NO KEY UPDATE"],
    ["workspace", "workspaces", "UPDATE"]
  ] as const)("One whose %s is locked waits for that, and keeps no other one waiting", ([, table, lock]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [locked, neighbor] = [yield* makeProgram(), yield* makeProgram()]
      const owner = table === "workspaces" ? "id" : "workspace_id"
      const isCreated = yield* Deferred.make<PostId>()
      const holder = yield* sql.reserve
      yield* holder.executeUnprepared("BEGIN", [], undefined)
      yield* holder.executeUnprepared(
        `SELECT FROM ${table} WHERE ${owner} = '${locked.workspaceId}' FOR ${lock}`,
        [],
        undefined
      )
      const creating = yield* Effect.forkChild(
        together([locked.create(), Effect.tap(neighbor.create(), (id) => Deferred.succeed(isCreated, id))])
      )
      yield* Deferred.await(isCreated)
      yield* someLockIsAwaited
      yield* holder.executeUnprepared("COMMIT", [], undefined)
      const ids = created(yield* Fiber.join(creating))
      assert.strictEqual(ids.length, 2)
      assert.strictEqual(yield* transactionsOf(ids), 2)
    }).pipe(Effect.scoped)
  )

  it.effect("One in a transaction is part of that, whatever is created at the same moment", () =>
    Effect.gen(function* () {
      const { transaction } = yield* Repo
      const { create, workspaceId } = yield* makeProgram()
      const sql = yield* SqlClient.SqlClient
      const isOpen = yield* Deferred.make<void>()
      const createInTransaction = Effect.andThen(Deferred.succeed(isOpen, undefined), create())
      yield* together([
        transaction(Effect.andThen(createInTransaction, Effect.fail("refused"))),
        Effect.andThen(Deferred.await(isOpen), create())
      ])
      assert.strictEqual((yield* sql`SELECT FROM posts WHERE workspace_id = ${workspaceId}::uuid`).length, 1)
    })
  )

  it.effect("One that is due soon wakes the publishers of other processes", () =>
    Effect.gen(function* () {
      const { targets } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const { create } = yield* makeProgram()
      const woken = yield* Queue.unbounded<void>()
      const began = yield* Deferred.make<void>()
      yield* Effect.forkScoped(
        Effect.eventually(
          targets.listen(Effect.andThen(Queue.offer(woken, undefined), Deferred.succeed(began, undefined)))
        )
      )
      yield* Deferred.await(began)
      yield* Queue.clear(woken)
      yield* create()
      // This notification arrives after those of the creation.
      yield* sql`SELECT pg_notify('due_targets', '')`
      yield* Queue.take(woken)
      assert.strictEqual(yield* Queue.size(woken), 0)
      yield* together([create(plan(yield* DateTime.now)), create(plan(yield* DateTime.now))])
      yield* Queue.take(woken)
    }).pipe(Effect.scoped)
  )
})
