import { assert, layer } from "@effect/vitest"
import { Arbitrary, Effect, Layer } from "effect"
import { repoLayer } from "../support/database/testDatabase.ts"
import { endpoints } from "../support/generated/generatedRequests.ts"
import { GeneratedWorld } from "../support/generated/generatedWorld.ts"
import { openAgent, sendRaw } from "../support/generated/rawRequest.ts"

// SEED=anything tries other requests, and RUNS more of them; a failure names the seed that finds it again.
const seed = process.env["SEED"] ?? "a stranger"
const runs = Number(process.env["RUNS"] ?? 200)

layer(Layer.provideMerge(GeneratedWorld.layer, repoLayer))("whatever is sent", (it) => {
  it.effect.each(endpoints)("to $method $path is answered as the document says", (endpoint) =>
    Effect.gen(function* () {
      const { url, judge, draftOf } = yield* GeneratedWorld
      const agent = yield* openAgent
      const seen = new Map<number, number>()

      const result = yield* Arbitrary.checkEffect(
        endpoint.requests,
        Effect.fnUntraced(function* (generated) {
          const draft = yield* draftOf(endpoint, generated)
          const received = yield* sendRaw(url, agent, draft)
          const { operationId, complaint } = judge(draft, received)
          if (operationId === endpoint.operationId) seen.set(received.status, (seen.get(received.status) ?? 0) + 1)
          return complaint === undefined ? true : yield* Effect.fail({ complaint, draft, received })
        }),
        { runs, seed, concurrency: 8 }
      )
      assert.isUndefined(Arbitrary.formatCheckFailure(result), `SEED="${seed}"`)
      // Otherwise the requests are so wrong that nothing was tried.
      assert.isTrue(
        Array.from(seen.keys()).some((status) => status < 300),
        `no request to ${endpoint.path} succeeded`
      )
    })
  )
})
