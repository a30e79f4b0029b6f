// Not policed: all that it asks of the database is a key.
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { mcpLayer } from "../../src/mcp/server.ts"
import { ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../support/http/team.ts"
import { freePort } from "../support/process/program.ts"
import { expectedOutcomes } from "./conformanceOutcomes.ts"
import { keyProxy, runSuite } from "./conformanceSuite.ts"

/** The address of a server of agents that asks for no key. */
class OpenServer extends Context.Service<OpenServer, string>()("test/OpenServer") {}

const openServerLayer = Layer.unwrap(
  Effect.map(Effect.promise(freePort), (port) => {
    // The suite's requests say that they come from here, as those of a page of the service would.
    const servedAt = `http://127.0.0.1:${port}`
    return Layer.effect(
      OpenServer,
      Effect.gen(function* () {
        const { key } = yield* makeTeam
        yield* keyProxy(port, yield* ServerUrl, key)
        return `${servedAt}/mcp`
      })
    ).pipe(
      Layer.provide(
        databaseServerLayer({
          servedAt,
          others: mcpLayer({ baseUrl: servedAt, mcpAllowedOrigins: [] }),
          rateLimitPerMinute: 100_000
        })
      )
    )
  })
)

layer(openServerLayer)("the protocol's conformance suite", (it) => {
  it.effect.each(expectedOutcomes)(
    "All checks of %s pass but those that need what agents are not offered",
    ([revision, expected]) =>
      Effect.gen(function* () {
        const outcome = yield* runSuite(yield* OpenServer, revision)
        assert.deepStrictEqual(outcome, expected)
      })
  )
})
