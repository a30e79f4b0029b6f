import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Scheduler } from "effect"
import { IntegrationId } from "../../../src/domain/ids.ts"
import type { RenewalLeases } from "../../../src/repo/integrations/renewalLease.ts"
import { makeRenewals } from "../../../src/repo/integrations/renewals.ts"

const id = IntegrationId.make("01a1fc17-0000-7000-8000-000000000001")
const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** The renewals of one process, which gets the lease whenever it asks, on an account with the credentials `old`. */
const setup = () => {
  let sealed: Uint8Array = bytesOf("old")
  const asked: Array<string> = []
  const leases: RenewalLeases = {
    take: () => Effect.succeedSome({ id, until: "later", platform: "twitter", accountId: "account", serviceUrl: null }),
    release: () => Effect.void,
    store: (row) =>
      Effect.sync(() => {
        sealed = row.sealed
        return "stored" as const
      })
  }
  const renewals = makeRenewals(
    {
      read: () => Effect.sync(() => sealed),
      open: (_id, stored) => Effect.succeed(Redacted.make(textOf(stored))),
      seal: (_id, secret) => Effect.succeed(bytesOf(Redacted.value(secret)))
    },
    leases
  )
  const renew = Effect.sync(() => {
    asked.push("new access")
    return { credentials: Redacted.make("new") }
  })
  return { ...renewals, asked, refresh: renewals.refreshCredentials(id, Redacted.make("old"), renew) }
}

describe("renewals", () => {
  it.effect.each(Array.from({ length: 10 }, (_, index) => index + 3))(
    "Two who ask at once share one renewal if fibers yield after %s steps",
    (steps) =>
      Effect.gen(function* () {
        const { asked, refresh } = setup()
        yield* Effect.all([refresh, refresh], { concurrency: 2 })
        assert.lengthOf(asked, 1)
      }).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, steps))
  )
})
