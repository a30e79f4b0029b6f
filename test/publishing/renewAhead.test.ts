import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Option, Queue, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { type IntegrationId, ProcessId } from "../../src/domain/ids.ts"
import { NeedsReauthorization, type PlatformError, Unavailable } from "../../src/domain/publishing/platformError.ts"
import type { RenewedAccess } from "../../src/domain/accounts/integration.ts"
import { PlatformClient, type PlatformAdapter } from "../../src/platforms/PlatformClient.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { renewAhead as renewWithin, renewAheadFiber } from "../../src/publishing/renewAhead.ts"
import { Settlements } from "../../src/publishing/Settlements.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { MayClaim } from "../../src/worker/MayClaim.ts"
import { deletePosts } from "../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { scriptedSend } from "./scriptedSend.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

const renewAhead = renewWithin(Duration.minutes(15))

const unexpected = () => Effect.die("Unexpected call")

/** A process with a lease, on a platform that answers renewals with `answer` and queues them in `asked`. */
const withPlatform = Effect.fnUntraced(function* <A, E, R>(
  answer: Effect.Effect<RenewedAccess, PlatformError>,
  use: (asked: Queue.Queue<string>) => Effect.Effect<A, E, R>,
  isLeased = true
) {
  const asked = yield* Queue.unbounded<string>()
  const adapter: PlatformAdapter = {
    maxReconcileAttempts: 3,
    renew: (_account, stale) => Effect.andThen(Queue.offer(asked, Redacted.value(stale)), answer),
    prepare: unexpected,
    ...scriptedSend(unexpected),
    reconcile: unexpected,
    find: unexpected
  }
  const id = ProcessId.make("01a1fc17-0000-7000-8000-000000000001")
  const lease = ProcessLease.of({
    right: Effect.succeed(isLeased ? Option.some({ id, takesOver: true }) : Option.none()),
    current: Effect.succeed(isLeased ? Option.some(id) : Option.none()),
    gained: Effect.never
  })
  return yield* use(asked).pipe(
    Effect.provideService(
      PlatformClient,
      perPlatform(() => adapter)
    ),
    Effect.provideService(ProcessLease, lease),
    Effect.provide(Layer.fresh(Settlements.layer))
  )
})

const renewed = Effect.succeed<RenewedAccess>({ credentials: Redacted.make("renewed"), lifetime: Duration.hours(2) })

/** A time by the database's clock, which is the machine's. */
const databaseTime = (from: Duration.Input) =>
  Effect.map(
    Effect.sync(() => DateTime.nowUnsafe()),
    DateTime.addDuration(from)
  )

/** The only account: its access expires after `ends`, and its post is due after `due`. */
const makeAccount = Effect.fnUntraced(function* (ends: Duration.Input | null, due: Duration.Input) {
  const sql = yield* SqlClient.SqlClient
  const { integrations, posts } = yield* Repo
  yield* deletePosts
  yield* sql`DELETE FROM workspaces`
  const workspace = yield* makeWorkspace(["twitter"])
  const [account] = yield* integrations.list(workspace)
  const { id } = account ?? (yield* Effect.die("There is no account"))
  yield* posts.create(workspace, plan(yield* databaseTime(due)))
  yield* sql`UPDATE integrations SET updated_at = clock_timestamp()`
  if (ends !== null) {
    yield* sql`UPDATE integrations SET access_until = clock_timestamp()
      + ${Duration.toSeconds(ends)} * interval '1 second' WHERE id = ${id}::uuid`
  }
  return { id, workspace }
})

const storedOf = (id: IntegrationId) =>
  Effect.flatMap(Repo, ({ integrations }) => Effect.map(integrations.credentials(id), Redacted.value))

layer(repoLayer)("Renewing ahead", (it) => {
  it.effect("Access that ends before the account's next post is renewed, once, before its time", () =>
    withPlatform(renewed, (asked) =>
      Effect.gen(function* () {
        const { id } = yield* makeAccount("5 minutes", "14 minutes")
        yield* renewAhead
        assert.deepStrictEqual(yield* Queue.clear(asked), ["credentials of twitter"])
        assert.strictEqual(yield* storedOf(id), "renewed")
        yield* renewAhead
        assert.deepStrictEqual(yield* Queue.clear(asked), [])
      })
    )
  )

  const others: ReadonlyArray<readonly [string, Duration.Input | null, Duration.Input]> = [
    ["that lasts until two minutes after the post", "13 minutes", "10 minutes"],
    ["of a post that is further away than 15 minutes", "5 minutes", "20 minutes"],
    ["of an account that was connected within two hours, where the platform said nothing", null, "10 minutes"]
  ]
  for (const [what, ends, due] of others) {
    it.effect(`Access ${what} is not renewed ahead`, () =>
      withPlatform(renewed, (asked) =>
        Effect.gen(function* () {
          yield* makeAccount(ends, due)
          yield* renewAhead
          assert.deepStrictEqual(yield* Queue.clear(asked), [])
        })
      )
    )
  }

  it.effect(
    "Access that would end for good is renewed without a post too, but only in the passes that look far ahead",
    () =>
      withPlatform(renewed, (asked) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* deletePosts
          yield* sql`DELETE FROM workspaces`
          yield* makeWorkspace(["threads", "twitter"])
          const endAccess = sql`UPDATE integrations SET access_until = clock_timestamp() - interval '1 second'`
          yield* endAccess
          yield* renewWithin(Duration.minutes(1))
          assert.deepStrictEqual(yield* Queue.clear(asked), [])
          yield* renewAhead
          assert.deepStrictEqual(yield* Queue.clear(asked), ["credentials of threads"])
          yield* renewAhead
          assert.deepStrictEqual(yield* Queue.clear(asked), [])
        })
      )
  )

  it.effect(
    "Access of an account from before this version is renewed once, two hours after it was connected or renewed",
    () =>
      withPlatform(Effect.succeed({ credentials: Redacted.make("renewed") }), (asked) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* makeAccount(null, "10 minutes")
          yield* sql`UPDATE integrations SET updated_at = clock_timestamp() - interval '3 hours'`
          yield* renewAhead
          // The process stored this time by the test's clock.
          yield* sql`UPDATE integrations SET renewed_at = clock_timestamp()`
          yield* renewAhead
          assert.lengthOf(yield* Queue.clear(asked), 1)
        })
      )
  )

  it.effect("Passes follow each other a minute apart, and what fails is tried again by the next one", () =>
    withPlatform(Effect.fail(new Unavailable({ message: "down" })), (asked) =>
      Effect.gen(function* () {
        const { id } = yield* makeAccount("5 minutes", "14 minutes")
        yield* Effect.forkScoped(Layer.launch(renewAheadFiber))
        yield* Queue.take(asked)
        yield* Effect.repeat(TestClock.adjust("1 minute"), {
          until: () => Effect.map(Queue.size(asked), (size) => size > 0)
        })
        assert.strictEqual(yield* storedOf(id), "credentials of twitter")
      })
    )
  )

  it.effect(
    "Each minute accounts with a post within 15 minutes are looked for, and every ten seconds those within one",
    () =>
      withPlatform(renewed, () =>
        Effect.gen(function* () {
          const repo = yield* Repo
          const looks: Array<number> = []
          const endingAccess = (within: Duration.Duration) =>
            Effect.sync(() => {
              looks.push(Duration.toMinutes(within))
              return []
            })
          const integrations = { ...repo.integrations, endingAccess }
          yield* Effect.forkScoped(
            Effect.provideService(Layer.launch(renewAheadFiber), Repo, { ...repo, integrations })
          )
          for (let passed = 0; passed < 6; passed++) yield* TestClock.adjust("10 seconds")
          assert.lengthOf(
            looks.filter((within) => within === 15),
            2
          )
          assert.lengthOf(
            looks.filter((within) => within === 1),
            7
          )
        })
      )
  )

  it.effect("A refusal marks the account and notifies its workspace before the post's time", () =>
    withPlatform(Effect.fail(new NeedsReauthorization({ message: "X no longer accepts this account's access" })), () =>
      Effect.gen(function* () {
        const { integrations, notifications } = yield* Repo
        const { workspace } = yield* makeAccount("5 minutes", "14 minutes")
        yield* renewAhead
        assert.deepStrictEqual(
          (yield* integrations.list(workspace)).map(({ status }) => status),
          ["needs_reconnect"]
        )
        const { data } = yield* notifications.page(workspace, 0, 10)
        assert.deepStrictEqual(
          data.map(({ type }) => type),
          ["integration.disconnected"]
        )
      })
    )
  )

  it.effect("A refusal does not mark an account whose next post still goes out with the present access", () =>
    withPlatform(Effect.fail(new NeedsReauthorization({ message: "refused" })), (asked) =>
      Effect.gen(function* () {
        const { integrations } = yield* Repo
        const { workspace } = yield* makeAccount("11 minutes", "10 minutes")
        yield* renewAhead
        assert.lengthOf(yield* Queue.clear(asked), 1)
        assert.deepStrictEqual(
          (yield* integrations.list(workspace)).map(({ status }) => status),
          ["connected"]
        )
      })
    )
  )

  const idle: Record<string, Effect.Effect<unknown, never, SqlClient.SqlClient>> = {
    "while publishing is held": Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`INSERT INTO publishing_state (held_since) VALUES (now())`
    ).pipe(Effect.orDie),
    "while a process of the version before runs": Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`INSERT INTO processes (id, started_at, lease_until)
        VALUES (gen_random_uuid(), now(), now() + interval '30 seconds')`
    ).pipe(Effect.orDie)
  }
  for (const [when, prepare] of Object.entries(idle)) {
    it.effect(`Nothing is renewed ahead ${when}`, () =>
      withPlatform(renewed, (asked) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* makeAccount("5 minutes", "14 minutes")
          yield* prepare
          yield* renewAhead
          assert.deepStrictEqual(yield* Queue.clear(asked), [])
          yield* sql`DELETE FROM publishing_state`
          yield* sql`DELETE FROM processes`
        })
      )
    )
  }

  it.effect("A process that may not claim, or has no lease, renews nothing", () =>
    Effect.gen(function* () {
      yield* makeAccount("5 minutes", "14 minutes")
      yield* withPlatform(
        renewed,
        (asked) =>
          Effect.gen(function* () {
            yield* renewAhead
            assert.deepStrictEqual(yield* Queue.clear(asked), [])
          }),
        false
      )
      yield* withPlatform(renewed, (asked) =>
        Effect.gen(function* () {
          yield* Effect.provideService(renewAhead, MayClaim, Effect.succeed(false))
          assert.deepStrictEqual(yield* Queue.clear(asked), [])
        })
      )
    })
  )
})
