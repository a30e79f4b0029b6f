import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CreatedPost } from "../../../src/api/posts/postResponses.ts"
import { GroupId, type PostId } from "../../../src/domain/ids.ts"
import type { PostPlan } from "../../../src/domain/posts/postPlan.ts"
import type { Once } from "../../../src/repo/idempotency.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { plan } from "../../support/database/fixtures.ts"
import { later, makeProgram, someLockIsAwaited, together, transactionsOf } from "../../support/database/programs.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

type Program = Effect.Success<ReturnType<typeof makeProgram>>

const group = GroupId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba46")

/** Creates a post once for an idempotency key. */
const createOnce = (
  { by, workspaceId }: Program,
  key: string,
  { post = plan(later), request = "POST" }: { readonly post?: PostPlan; readonly request?: string } = {}
) =>
  Effect.flatMap(Repo, ({ posts }) =>
    posts.createOnce(workspaceId, post, by, {
      workspaceId,
      key,
      authorId: by.author.id,
      formerIds: [],
      request,
      answer: CreatedPost
    })
  )

/** The result's name: created, replayed, or the error. */
const outcome = <E extends { readonly _tag: string }>(exit: Exit.Exit<Once<unknown>, E> | undefined) => {
  if (exit === undefined) return "nothing"
  if (Exit.isSuccess(exit)) return exit.value.replayed ? "replayed" : "created"
  const error = Exit.findErrorOption(exit)
  return Option.isSome(error) ? error.value._tag : "defect"
}

/** A workspace's posts and used keys. Each key has the post that repetitions get. */
const stored = Effect.fnUntraced(function* ({ workspaceId }: Program) {
  const sql = yield* SqlClient.SqlClient
  const posts = yield* sql<{ readonly id: PostId }>`
    SELECT id FROM posts WHERE workspace_id = ${workspaceId}::uuid ORDER BY id`
  const keys = yield* sql<{ readonly key: string; readonly post: string }>`
    SELECT key, answer ->> 'id' AS post FROM idempotency_keys WHERE workspace_id = ${workspaceId}::uuid ORDER BY key`
  return { posts: posts.map(({ id }) => id), keys: keys.map(({ key, post }) => [key, post]) }
})

/** Runs statements on a reserved connection, which returns to the pool with the caller's scope. */
const makeSession = Effect.gen(function* () {
  const holder = yield* (yield* SqlClient.SqlClient).reserve
  return (statement: string) => holder.executeUnprepared(statement, [], undefined)
})

layer(repoLayer)("a post that is created together with the use of its idempotency key", (it) => {
  it.effect("Those of several programs are stored by one statement, beside those without a key", () =>
    Effect.gen(function* () {
      const [one, another] = [yield* makeProgram(), yield* makeProgram()]
      const keyed = [createOnce(one, "k"), createOnce(another, "k")]
      const exits = yield* together([...keyed, Effect.asVoid(one.create())])
      assert.isTrue(exits.every(Exit.isSuccess))
      const [ofOne, ofAnother] = [yield* stored(one), yield* stored(another)]
      assert.strictEqual(yield* transactionsOf([...ofOne.posts, ...ofAnother.posts]), 1)
      assert.lengthOf(ofOne.posts, 2)
      assert.deepStrictEqual(ofAnother.keys, [["k", ofAnother.posts[0]]])
      assert.lengthOf(ofOne.keys, 1)
      assert.include(ofOne.posts, ofOne.keys[0]?.[1])
    })
  )

  it.effect("A repetition gets what was stored, and another request with the key is refused", () =>
    Effect.gen(function* () {
      const program = yield* makeProgram()
      const first = yield* createOnce(program, "k")
      assert.isFalse(first.replayed)
      assert.deepStrictEqual(yield* createOnce(program, "k"), { ...first, replayed: true })
      assert.strictEqual((yield* Effect.flip(createOnce(program, "k", { request: "PUT" })))._tag, "IdempotencyMismatch")
      assert.lengthOf((yield* stored(program)).posts, 1)
    })
  )

  it.effect("Two with one key at the same moment are one post, and the second gets what the first stored", () =>
    Effect.gen(function* () {
      const program = yield* makeProgram()
      const exits = yield* together([createOnce(program, "k"), createOnce(program, "k"), createOnce(program, "l")])
      assert.deepStrictEqual(exits.map(outcome), ["created", "replayed", "created"])
      const ids = exits.map((exit) => Exit.isSuccess(exit) && exit.value.result.id)
      assert.strictEqual(ids[1], ids[0])
      const { keys, posts } = yield* stored(program)
      assert.lengthOf(posts, 2)
      assert.sameMembers(
        keys.map(([, post]) => post),
        posts
      )
    })
  )

  it.effect(
    "A key that one workspace has used is not used up for another one, whose post is stored at the same moment",
    () =>
      Effect.gen(function* () {
        const [one, another] = [yield* makeProgram(), yield* makeProgram()]
        yield* createOnce(one, "k")
        const exits = yield* together([createOnce(one, "k"), createOnce(another, "k")])
        assert.deepStrictEqual(exits.map(outcome), ["replayed", "created"])
        assert.lengthOf((yield* stored(one)).posts, 1)
      })
  )

  it.effect(
    "Of many repetitions at once one creates the post, and the others get it or are told that it is in flight",
    () =>
      Effect.gen(function* () {
        const program = yield* makeProgram()
        const exits = yield* together(Array.from({ length: 40 }, () => createOnce(program, "k")))
        const { posts } = yield* stored(program)
        assert.lengthOf(posts, 1)
        for (const exit of exits) {
          if (Exit.isSuccess(exit)) assert.strictEqual(exit.value.result.id, posts[0])
          else assert.strictEqual(outcome(exit), "IdempotencyInFlight")
        }
        assert.lengthOf(
          exits.filter((exit) => outcome(exit) === "created"),
          1
        )
      })
  )

  it.effect("One whose key a transaction uses is refused without a wait, and neither post nor key is stored", () =>
    Effect.gen(function* () {
      const { idempotency } = yield* Repo
      const [program, neighbor] = [yield* makeProgram(), yield* makeProgram()]
      const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const other = {
        workspaceId: program.workspaceId,
        key: "k",
        request: "another",
        authorId: program.by.author.id,
        formerIds: [],
        answer: Schema.Int
      }
      const using = yield* Effect.forkChild(
        idempotency.once(other, Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end)), 1))
      )
      yield* Deferred.await(begun)
      const exits = yield* together([createOnce(program, "k"), createOnce(neighbor, "k")])
      assert.deepStrictEqual(exits.map(outcome), ["IdempotencyInFlight", "created"])
      assert.deepStrictEqual(yield* stored(program), { posts: [], keys: [] })
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(using)
      assert.strictEqual(outcome(yield* Effect.exit(createOnce(program, "k"))), "IdempotencyMismatch")
      assert.deepStrictEqual((yield* stored(program)).posts, [])
    })
  )

  it.effect("One whose key was stored by a transaction that ended after the statement began is not created", () =>
    Effect.gen(function* () {
      const program = yield* makeProgram()
      const run = yield* makeSession
      yield* run("BEGIN")
      yield* run(`INSERT INTO idempotency_keys (workspace_id, key, fingerprint, answer, created_at)
        VALUES ('${program.workspaceId}', 'k', '', '{}', now())`)
      const creating = yield* Effect.forkChild(Effect.exit(createOnce(program, "k")))
      yield* someLockIsAwaited
      yield* run("COMMIT")
      assert.strictEqual(outcome(yield* Fiber.join(creating)), "IdempotencyMismatch")
      assert.deepStrictEqual((yield* stored(program)).posts, [])
    }).pipe(Effect.scoped)
  )

  it.effect("One whose key another version uses, which names the key's lock in the same way, is refused", () =>
    Effect.gen(function* () {
      const program = yield* makeProgram()
      const run = yield* makeSession
      yield* run("BEGIN")
      yield* run(`SELECT pg_advisory_xact_lock(hashtextextended('idempotency/${program.workspaceId}/a "key"', 0))`)
      assert.strictEqual((yield* Effect.flip(createOnce(program, 'a "key"')))._tag, "IdempotencyInFlight")
      assert.deepStrictEqual(yield* stored(program), { posts: [], keys: [] })
      yield* run("COMMIT")
      assert.isFalse((yield* createOnce(program, 'a "key"')).replayed)
    }).pipe(Effect.scoped)
  )

  it.effect("One whose key is being deleted by somebody else keeps no other one waiting", () =>
    Effect.gen(function* () {
      const [program, neighbor] = [yield* makeProgram(), yield* makeProgram()]
      yield* createOnce(program, "k")
      const run = yield* makeSession
      yield* run("BEGIN")
      yield* run(`DELETE FROM idempotency_keys WHERE workspace_id = '${program.workspaceId}'`)
      const exits = yield* together([createOnce(program, "k"), createOnce(neighbor, "k")])
      assert.deepStrictEqual(exits.map(outcome), ["replayed", "created"])
      yield* run("ROLLBACK")
    }).pipe(Effect.scoped)
  )

  it.effect("A request that is refused does not use its key", () =>
    Effect.gen(function* () {
      const { apiKeys, integrations } = yield* Repo
      const [revoked, unconnected] = [yield* makeProgram(), yield* makeProgram()]
      yield* apiKeys.revoke(revoked.by.author.id)
      const [account] = yield* integrations.list(unconnected.workspaceId)
      if (account !== undefined) yield* integrations.disconnect(account.id)
      const exits = yield* together([
        createOnce(revoked, "k"),
        createOnce(unconnected, "k", { post: plan(later, ["twitter", "bluesky"]) })
      ])
      assert.deepStrictEqual(exits.map(outcome), ["KeyEnded", "IntegrationNotConnected"])
      for (const program of [revoked, unconnected]) {
        assert.deepStrictEqual(yield* stored(program), { posts: [], keys: [] })
      }
    })
  )

  it.effect("One that can't be stored keeps no other one from being created, and does not use its key", () =>
    Effect.gen(function* () {
      const [poisoned, neighbor] = [yield* makeProgram(), yield* makeProgram()]
      const [first, second] = yield* together([
        createOnce(poisoned, "k", { post: { ...plan(later), content: "\0" } }),
        createOnce(neighbor, "k")
      ])
      assert.isTrue(first !== undefined && Exit.hasDies(first))
      assert.strictEqual(outcome(second), "created")
      assert.deepStrictEqual(yield* stored(poisoned), { posts: [], keys: [] })
      assert.lengthOf((yield* stored(neighbor)).keys, 1)
    })
  )

  it.effect("A key that was used is used again after 24 hours, and not before", () =>
    Effect.gen(function* () {
      const program = yield* makeProgram()
      const first = yield* createOnce(program, "k")
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(yield* createOnce(program, "k"), { ...first, replayed: true })
      yield* TestClock.adjust("1 hour")
      const second = yield* createOnce(program, "k", { request: "PUT" })
      assert.isFalse(second.replayed)
      assert.deepStrictEqual(yield* stored(program), {
        posts: [first.result.id, second.result.id],
        keys: [["k", second.result.id]]
      })
    })
  )

  it.effect("One within a transaction is stored with all that this stores, or not at all", () =>
    Effect.gen(function* () {
      const { transaction } = yield* Repo
      const program = yield* makeProgram()
      const undone = Effect.andThen(createOnce(program, "k"), Effect.fail("undone"))
      yield* Effect.flip(transaction(undone))
      assert.deepStrictEqual(yield* stored(program), { posts: [], keys: [] })
      assert.isFalse((yield* transaction(createOnce(program, "k"))).replayed)
      assert.lengthOf((yield* stored(program)).keys, 1)
    })
  )

  it.effect("One in a group is stored with its key, and a repetition gets it", () =>
    Effect.gen(function* () {
      const program = yield* makeProgram()
      const post = { ...plan(later), groupId: group }
      const first = yield* createOnce(program, "k", { post })
      assert.isFalse(first.replayed)
      assert.deepStrictEqual(yield* createOnce(program, "k", { post }), { ...first, replayed: true })
      assert.deepStrictEqual(yield* stored(program), { posts: [first.result.id], keys: [["k", first.result.id]] })
    })
  )
})
