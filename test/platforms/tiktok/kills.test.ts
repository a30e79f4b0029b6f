import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, type Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Publication } from "../../../src/domain/publishing/platformError.ts"
import type { Call } from "../../../src/platforms/call.ts"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import type { Prepared } from "../../../src/platforms/PlatformClient.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { tiktokConformance } from "./conformance.ts"
import { tiktokWorld, wait } from "./world.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

/** A process dies at its request number `at`: before the request, or before its answer is read. */
interface Kill {
  readonly at: number
  readonly when: "before" | "after"
}

/** The database's part of a post. */
interface Kept {
  begun: Schema.Json | null
  prepared: Prepared | null
  sentAt: DateTime.Utc | null
  published: Publication | null
}

/** A video of three chunks, an account with new access, and processes of which one dies. */
const publishThroughKill = Effect.fnUntraced(function* ({ at, when }: Kill) {
  let count = 0
  const killing =
    (call: Call): Call =>
    (request) =>
      Effect.suspend(() => {
        count += 1
        if (count !== at) return call(request)
        const killed = Effect.die("killed")
        return when === "before" ? killed : Effect.andThen(Effect.ignore(call(request)), killed)
      })
  const { accepted, account, adapter, request } = yield* tiktokWorld(16_000_000, {
    ...tiktokConformance,
    adapterAt: (url, call) => tiktokConformance.adapterAt(url, killing(call))
  })

  const kept: Kept = { begun: null, prepared: null, sentAt: null, published: null }
  const keep = (publication: Publication) =>
    Effect.sync(() => {
      kept.published = publication
    })

  const makeReady = Effect.suspend(() => adapter.prepare({ ...request, begun: kept.begun }, account)).pipe(
    Effect.tap((made) =>
      Effect.sync(() => {
        kept.prepared = made
      })
    ),
    Effect.catchTag("Preparing", (preparing) => {
      kept.begun = preparing.begun
      return wait(preparing.askAfter)
    })
  )
  const turn = Effect.suspend((): Effect.Effect<unknown, { readonly _tag: string }> => {
    const { prepared, sentAt } = kept
    if (prepared === null) return makeReady
    if (sentAt !== null) return Effect.tap(adapter.reconcile(prepared, account, sentAt), keep)
    // The intent is stored before the send.
    return Effect.flatMap(DateTime.now, (now) => {
      kept.sentAt = now
      return Effect.tap(sendPost(adapter, prepared, account), keep)
    })
  })

  for (let turns = 0; kept.published === null && turns < 20; turns++) {
    yield* turn.pipe(
      Effect.ignore,
      // Another process goes on.
      Effect.catchDefect((defect) => (defect === "killed" ? Effect.void : Effect.die(defect)))
    )
    yield* wait("15 seconds")
  }
  return { accepted: yield* accepted, count, published: kept.published }
})

describe("A process that dies", () => {
  it.effect("Between any two requests it leaves a video that goes out once", () =>
    Effect.gen(function* () {
      const { count } = yield* Effect.scoped(publishThroughKill({ at: 0, when: "before" }))
      // Access, the account, the beginning, three chunks, and a question before and after the last one.
      assert.strictEqual(count, 7)
      for (let at = 1; at <= count; at++) {
        for (const when of ["before", "after"] as const) {
          const { accepted, published } = yield* Effect.scoped(publishThroughKill({ at, when }))
          assert.isNotNull(published, `It is not out after a kill ${when} request ${at}`)
          assert.strictEqual(accepted, 1, `A kill ${when} request ${at}`)
        }
      }
    }).pipe(Effect.provide(withServers))
  )
})
