import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { GroupId, PostId } from "../../../src/domain/ids.ts"
import type { PostPlan } from "../../../src/domain/posts/postPlan.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { CreatedPost } from "../../../src/repo/posts/Posts.ts"
import { plan } from "../../support/database/fixtures.ts"
import { later, makeProgram, someLockIsAwaited, together, transactionsOf } from "../../support/database/programs.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

type Program = Effect.Success<ReturnType<typeof makeProgram>>

const group = GroupId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba46")

/** What repetitions get of a post. */
const Answer = Schema.Struct({ id: PostId })

/** Creates a post for an idempotency key by one statement, where that can be. */
const createAtOnce = ({ by, workspaceId }: Program, key: string, post: PostPlan = plan(later)) =>
  Effect.flatMap(Repo, ({ posts }) =>
    posts.createAtOnce(workspaceId, post, by, ({ id }) => ({
      key,
      fingerprint: new Uint8Array([1, 2]),
      answer: { id }
    }))
  )

const isDone = (exit: Exit.Exit<Option.Option<CreatedPost>, unknown> | undefined) =>
  exit !== undefined && Exit.isSuccess(exit) && Option.isSome(exit.value)

/** Creates a post once for an idempotency key, as a request does. */
const once = ({ by, workspaceId }: Program, key: string, request = "POST") =>
  Effect.flatMap(Repo, ({ idempotency, posts }) =>
    idempotency.once(
      { workspaceId, key, request },
      Answer,
      Effect.map(posts.create(workspaceId, plan(later), by), ({ id }) => ({ id })),
      (useOf) =>
        Effect.map(
          posts.createAtOnce(workspaceId, plan(later), by, ({ id }) => useOf({ id })),
          Option.map(({ id }) => ({ id }))
        )
    )
  )

/** The posts of a workspace, and the keys that it used, each with the post that repetitions get. */
const stored = Effect.fnUntraced(function* ({ workspaceId }: Program) {
  const sql = yield* SqlClient.SqlClient
  const posts = yield* sql<{ readonly id: PostId }>`
    SELECT id FROM posts WHERE workspace_id = ${workspaceId}::uuid ORDER BY id`
  const keys = yield* sql<{ readonly key: string; readonly post: string }>`
    SELECT key, answer ->> 'id' AS post FROM idempotency_keys WHERE workspace_id = ${workspaceId}::uuid ORDER BY key`
  return { posts: posts.map(({ id }) => id), keys: keys.map(({ key, post }) => [key, post]) }
})

/** Runs statements on a connection of its own, which the caller's scope returns. */
const makeSession = Effect.gen(function* () {
  const holder = yield* (yield* SqlClient.SqlClient).reserve
  return (statement: string) => holder.executeUnprepared(statement, [], undefined)
})

layer(repoLayer)("a post that is created together with the use of its idempotency key", (it) => {
  it.effect("Those of several programs are stored by one statement, beside those without a key", () =>
    Effect.gen(function* () {
      const [one, another] = [yield* makeProgram(), yield* makeProgram()]
      const [first, second, third] = yield* together([
        createAtOnce(one, "k"),
        createAtOnce(another, "k"),
        Effect.map(one.create(), (id) => Option.some({ id }))
      ])
      assert.isTrue([first, second, third].every((exit) => exit !== undefined && Exit.isSuccess(exit)))
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
      const first = yield* once(program, "k")
      assert.isFalse(first.replayed)
      assert.deepStrictEqual(yield* once(program, "k"), { ...first, replayed: true })
      assert.strictEqual((yield* Effect.flip(once(program, "k", "PUT")))._tag, "IdempotencyMismatch")
      assert.lengthOf((yield* stored(program)).posts, 1)
    })
  )

  it.effect(
    "Two with one key at the same moment are one post, and the second is left to get what the first stored",
    () =>
      Effect.gen(function* () {
        const program = yield* makeProgram()
        const exits = yield* together([
          createAtOnce(program, "k"),
          createAtOnce(program, "k"),
          createAtOnce(program, "l")
        ])
        assert.deepStrictEqual(exits.map(isDone), [true, false, true])
        const { keys, posts } = yield* stored(program)
        assert.lengthOf(posts, 2)
        assert.sameMembers(
          keys.map(([, post]) => post),
          posts
        )
      })
  )

  it.effect(
    "A key that one workspace has used is not used up for another one, whose post is stored by the same statement",
    () =>
      Effect.gen(function* () {
        const [one, another] = [yield* makeProgram(), yield* makeProgram()]
        yield* createAtOnce(one, "k")
        const exits = yield* together([createAtOnce(one, "k"), createAtOnce(another, "k")])
        assert.deepStrictEqual(exits.map(isDone), [false, true])
        assert.lengthOf((yield* stored(one)).posts, 1)
      })
  )

  it.effect(
    "Of many repetitions at once one creates the post, and the others get it or are told that it is in flight",
    () =>
      Effect.gen(function* () {
        const program = yield* makeProgram()
        const exits = yield* together(Array.from({ length: 40 }, () => once(program, "k")))
        const { posts } = yield* stored(program)
        assert.lengthOf(posts, 1)
        for (const exit of exits) {
          if (Exit.isSuccess(exit)) assert.strictEqual(exit.value.result.id, posts[0])
          else
            assert.isTrue(exit.cause.reasons.every((r) => r._tag === "Fail" && r.error._tag === "IdempotencyInFlight"))
        }
        assert.lengthOf(
          exits.filter((exit) => Exit.isSuccess(exit) && !exit.value.replayed),
          1
        )
      })
  )

  it.effect("One whose key a transaction uses is left out without a wait, and neither post nor key is stored", () =>
    Effect.gen(function* () {
      const { idempotency } = yield* Repo
      const [program, neighbor] = [yield* makeProgram(), yield* makeProgram()]
      const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const request = { workspaceId: program.workspaceId, key: "k", request: "another" }
      const using = yield* Effect.forkChild(
        idempotency.once(
          request,
          Schema.Int,
          Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end)), 1)
        )
      )
      yield* Deferred.await(begun)
      const exits = yield* together([createAtOnce(program, "k"), createAtOnce(neighbor, "k")])
      assert.deepStrictEqual(exits.map(isDone), [false, true])
      assert.deepStrictEqual(yield* stored(program), { posts: [], keys: [] })
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(using)
      assert.isFalse(isDone(yield* Effect.exit(createAtOnce(program, "k"))))
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
      const creating = yield* Effect.forkChild(Effect.exit(createAtOnce(program, "k")))
      yield* someLockIsAwaited
      yield* run("COMMIT")
      assert.isFalse(isDone(yield* Fiber.join(creating)))
      assert.deepStrictEqual((yield* stored(program)).posts, [])
    }).pipe(Effect.scoped)
  )

  it.effect("One whose key another version uses, which names the key's lock in the same way, is left out", () =>
    Effect.gen(function* () {
      const program = yield* makeProgram()
      const run = yield* makeSession
      yield* run("BEGIN")
      yield* run(`SELECT pg_advisory_xact_lock(hashtextextended('idempotency/${program.workspaceId}/a "key"', 0))`)
      assert.isFalse(isDone(yield* Effect.exit(createAtOnce(program, 'a "key"'))))
      assert.strictEqual((yield* Effect.flip(once(program, 'a "key"')))._tag, "IdempotencyInFlight")
      yield* run("COMMIT")
      assert.isTrue(isDone(yield* Effect.exit(createAtOnce(program, 'a "key"'))))
    }).pipe(Effect.scoped)
  )

  it.effect("One whose key is being deleted by somebody else keeps no other one waiting", () =>
    Effect.gen(function* () {
      const [program, neighbor] = [yield* makeProgram(), yield* makeProgram()]
      yield* createAtOnce(program, "k")
      const run = yield* makeSession
      yield* run("BEGIN")
      yield* run(`DELETE FROM idempotency_keys WHERE workspace_id = '${program.workspaceId}'`)
      const exits = yield* together([createAtOnce(program, "k"), createAtOnce(neighbor, "k")])
      assert.deepStrictEqual(exits.map(isDone), [false, true])
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
        createAtOnce(revoked, "k"),
        createAtOnce(unconnected, "k", plan(later, ["twitter", "bluesky"]))
      ])
      assert.deepStrictEqual(exits.map(isDone), [false, false])
      for (const program of [revoked, unconnected]) {
        assert.deepStrictEqual(yield* stored(program), { posts: [], keys: [] })
      }
    })
  )

  it.effect("One that can't be stored keeps no other one from being created, and does not use its key", () =>
    Effect.gen(function* () {
      const [poisoned, neighbor] = [yield* makeProgram(), yield* makeProgram()]
      const [first, second] = yield* together([
        createAtOnce(poisoned, "k", { ...plan(later), content: "\0" }),
        createAtOnce(neighbor, "k")
      ])
      assert.isTrue(first !== undefined && Exit.hasDies(first))
      assert.isTrue(isDone(second))
      assert.deepStrictEqual(yield* stored(poisoned), { posts: [], keys: [] })
      assert.lengthOf((yield* stored(neighbor)).keys, 1)
    })
  )

  it.effect("A key that was used is used again after 24 hours, and not before", () =>
    Effect.gen(function* () {
      const program = yield* makeProgram()
      const first = yield* once(program, "k")
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(yield* once(program, "k"), { ...first, replayed: true })
      yield* TestClock.adjust("1 hour")
      const second = yield* once(program, "k", "PUT")
      assert.isFalse(second.replayed)
      assert.deepStrictEqual(yield* stored(program), {
        posts: [first.result.id, second.result.id],
        keys: [["k", second.result.id]]
      })
    })
  )

  it.effect("One in a group or within a transaction is left to others", () =>
    Effect.gen(function* () {
      const { transaction } = yield* Repo
      const program = yield* makeProgram()
      const exits = yield* together([
        transaction(createAtOnce(program, "k")),
        createAtOnce(program, "l", { ...plan(later), groupId: group })
      ])
      assert.deepStrictEqual(exits.map(isDone), [false, false])
      assert.deepStrictEqual(yield* stored(program), { posts: [], keys: [] })
    })
  )
})
