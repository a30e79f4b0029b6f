import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { accountWorld, makeAccountCaller, Suspension } from "../http/handlers/accountWorld.ts"

/** Runs a request whose process is suspended for a while, once the platform has given access and before anything is stored. */
const whileSuspended = Effect.fnUntraced(function* <A, E, R>(
  request: Effect.Effect<A, E, R>,
  during: Effect.Effect<unknown>
) {
  const { begun, ended } = yield* Suspension
  yield* Effect.all([begun.close, ended.close])
  const running = yield* Effect.forkChild(request)
  yield* begun.await
  yield* during
  yield* ended.open
  return yield* Fiber.join(running)
})

/** Somebody who connects an account, and the requests that do it. */
const connecting = Effect.fnUntraced(function* (platform: LivePlatform) {
  const caller = yield* makeAccountCaller()
  const connect = platform === "twitter" ? caller.open(yield* caller.connectTwitter()) : caller.connectBluesky("acme")
  return { ...caller, connect }
})

layer(accountWorld)("A process that is suspended while an account is connected", (it) => {
  it.effect.each([
    ["twitter", 303],
    ["bluesky", 201]
  ] as const)(
    "connects the account on %s wholly, and once, although what was begun has expired",
    ([platform, expected]) =>
      Effect.gen(function* () {
        const { integrations } = yield* Repo
        const { connect, workspaceId } = yield* connecting(platform)
        const { status } = yield* whileSuspended(connect, TestClock.adjust("3 hours"))
        assert.strictEqual(status, expected)
        const [account, ...others] = yield* integrations.list(workspaceId)
        assert.deepInclude(account, { platform, status: "connected" })
        assert.lengthOf(others, 0)
      })
  )

  it.effect.each([
    ["twitter", "This was begun in another browser, or you have logged out or in since"],
    ["bluesky", "session"]
  ] as const)("connects nothing on %s once the session has run out meanwhile, and says so", ([platform, words]) =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const { connect, workspaceId } = yield* connecting(platform)
      const { status, text } = yield* whileSuspended(connect, TestClock.adjust("15 days"))
      assert.include([401, 403], status)
      assert.include(text, words)
      assert.deepStrictEqual(yield* integrations.list(workspaceId), [])
    })
  )

  it.effect.each([
    ["twitter", 200],
    ["bluesky", 409]
  ] as const)("asks about another account on %s that was connected meanwhile, which stays", ([platform, expected]) =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const { connect, workspaceId } = yield* connecting(platform)
      const other = yield* (yield* Sandbox).connect(platform, "other")
      const elsewhere = Effect.orDie(integrations.connect(workspaceId, { platform, ...other }))
      assert.strictEqual((yield* whileSuspended(connect, elsewhere)).status, expected)
      const accounts = yield* integrations.list(workspaceId)
      assert.deepStrictEqual(
        accounts.map(({ username }) => username),
        [other.username]
      )
    })
  )
})
