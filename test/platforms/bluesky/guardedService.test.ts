import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { linkBluesky, unlinkBluesky } from "./link.ts"
import { sandboxAppPassword } from "../../../src/platforms/bluesky/standIn/sessions.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { platformHttpLayer, strictHttpLayer } from "../../support/http/platformHttpLayer.ts"

/** Links an account at the sandbox, as a service that was named over the API. */
const link = Effect.gen(function* () {
  const { apiUrls } = yield* Sandbox
  return yield* linkBluesky({
    service: apiUrls.bluesky,
    identifier: "acme.sandbox.test",
    password: Redacted.make(sandboxAppPassword),
    guarded: true
  })
})

layer(Sandbox.layer())("a service that was named over the API", (it) => {
  it.effect("It has to have a public https address when an account is linked", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(Effect.provide(link, strictHttpLayer))
      assert.strictEqual(refused._tag, "LinkRefused")
      assert.strictEqual(refused.message, "The URL has to begin with https://")
    })
  )

  it.effect("It has to have one later as well, because its name may lead elsewhere by then", () =>
    Effect.gen(function* () {
      const { apiUrls } = yield* Sandbox
      const { credentials } = yield* Effect.provide(link, platformHttpLayer)
      const unlink = unlinkBluesky({ service: apiUrls.bluesky, credentials })
      const refused = yield* Effect.flip(Effect.provide(unlink, strictHttpLayer))
      assert.include(refused.message, "The URL has to begin with https://")
      yield* Effect.provide(unlink, platformHttpLayer)
    })
  )
})
