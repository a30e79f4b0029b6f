import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Repo } from "../../src/repo/Repo.ts"
import { makeReceivers } from "../../src/webhooks/receivers.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { aResult, lease, makeWebhook, recordEvents, settleAs, someSlots } from "../support/database/webhookFixtures.ts"

layer(repoLayer)("makeReceivers", (it) => {
  it.effect("A secret that was replaced signs beside the new one until its overlap is over, and no longer", () =>
    Effect.gen(function* () {
      const { events, webhooks } = yield* Repo
      const receiverOf = yield* makeReceivers
      const workspaceId = yield* makeWorkspace([])
      const { id, secret: former } = yield* makeWebhook(workspaceId)
      /** The secrets that sign the next delivery. */
      const signing = Effect.gen(function* () {
        yield* recordEvents(workspaceId, 1)
        yield* events.dispatch(1000)
        const claims = yield* webhooks.claim(someSlots, lease)
        const receivers = yield* Effect.forEach(claims, receiverOf)
        yield* settleAs(claims, aResult(204))
        return receivers.flatMap(({ keys }) => keys.map((key) => `whsec_${key.export().toString("base64")}`))
      })
      assert.deepStrictEqual(yield* signing, [Redacted.value(former)])
      const { secret } = yield* webhooks.rotateSecret(workspaceId, id, Duration.hours(1))
      assert.deepStrictEqual(yield* signing, [Redacted.value(secret), Redacted.value(former)])
      yield* TestClock.adjust("59 minutes")
      assert.deepStrictEqual(yield* signing, [Redacted.value(secret), Redacted.value(former)])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* signing, [Redacted.value(secret)])
    })
  )
})
