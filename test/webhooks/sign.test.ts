import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { signatureHeaders, signingKey } from "../../src/webhooks/sign.ts"
import { eventId } from "../../src/domain/samples.ts"

const secret = (byte: number) => Redacted.make(`whsec_${Buffer.alloc(32, byte).toString("base64")}`)

const sign = (secrets: ReadonlyArray<Redacted.Redacted>, body: string) =>
  Effect.map(DateTime.now, (at) => signatureHeaders(secrets.map(signingKey), { id: eventId, body, at }))

const body = JSON.stringify({ type: "post.published", data: { text: "“Grüße” \u{1F680}" } })

const verifies = (verifier: Redacted.Redacted, sent: string, headers: Record<string, string>) =>
  Effect.match(
    Effect.try(() => new Webhook(Redacted.value(verifier)).verify(sent, headers)),
    { onFailure: () => false, onSuccess: () => true }
  )

describe("the signature of a webhook", () => {
  it.live("The receiver's library verifies it by the secret, and by no other", () =>
    Effect.gen(function* () {
      const headers = yield* sign([secret(1)], body)
      assert.isTrue(yield* verifies(secret(1), body, headers))
      assert.isFalse(yield* verifies(secret(2), body, headers))
    })
  )

  it.live("While secrets are rotated, it is verified by either of them", () =>
    Effect.gen(function* () {
      const headers = yield* sign([secret(2), secret(1)], body)
      assert.isTrue(yield* verifies(secret(1), body, headers))
      assert.isTrue(yield* verifies(secret(2), body, headers))
      assert.isFalse(yield* verifies(secret(3), body, headers))
    })
  )

  it.live("A changed body, id or time is refused", () =>
    Effect.gen(function* () {
      const headers = yield* sign([secret(1)], body)
      assert.isFalse(yield* verifies(secret(1), `${body} `, headers))
      assert.isFalse(yield* verifies(secret(1), body, { ...headers, "webhook-id": `${eventId}0` }))
      const later = String(Number(headers["webhook-timestamp"]) + 1)
      assert.isFalse(yield* verifies(secret(1), body, { ...headers, "webhook-timestamp": later }))
    })
  )
})
