import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Rejected } from "../../../src/domain/publishing/platformError.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { baseUrl, statusFault, world } from "../world.ts"

const redirectUri = `${baseUrl}/integrations/threads/callback`

/** A person agrees, and Threads says that the token has `scopes`. */
const connect = Effect.fn(function* (scopes?: ReadonlyArray<string>) {
  const sandbox = yield* Sandbox
  const link = sandbox.platforms(baseUrl).threads.makeLink("sandbox")
  if (link.kind !== "consent") return yield* Effect.die("Threads has a page for its consent")
  const code = yield* sandbox.consent("threads", { redirectUri, challenge: "a".repeat(43) })
  const body = JSON.stringify({ data: { scopes } })
  if (scopes !== undefined) {
    yield* sandbox.faults.add({ platform: "threads", call: "identity", fault: statusFault(200, { body }) })
  }
  const { accounts } = yield* link.finish({ code, verifier: Redacted.make("a".repeat(43)), redirectUri })
  return accounts
})

const all = ["threads_basic", "threads_content_publish", "threads_manage_replies", "threads_read_replies"]

describe("Connecting an account on Threads", () => {
  it.effect.each([[undefined], [all], [[...all, "threads_delete"]]])(
    "The account is connected with the scopes that posts need: %j",
    ([scopes]) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* connect(scopes))[0]?.username, "visitor")
      }).pipe(Effect.provide(world()))
  )

  it.effect("An account whose person did not allow posts is not connected, and each missing scope is named", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(connect(["threads_basic", "threads_read_replies", "threads_delete"]))
      assert.instanceOf(error, Rejected)
      assert.strictEqual(
        error.message,
        "Posts on Threads also need threads_content_publish, threads_manage_replies. Connect the account again, and allow everything"
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("An account is connected if Threads does not say what was allowed", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* sandbox.faults.add({ platform: "threads", call: "identity", fault: statusFault(500) })
      assert.strictEqual((yield* connect())[0]?.username, "visitor")
    }).pipe(Effect.provide(world()))
  )
})
