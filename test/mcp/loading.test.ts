import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { setTimeout } from "node:timers/promises"
import { ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../support/http/team.ts"
import { agents, ask } from "./agent.ts"

layer(databaseServerLayer({ others: agents }))("loading of the server of agents", (it) => {
  it.effect("The first requests are served alike by what they load, whichever of them are given up meanwhile", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const list = ask(url, key, "tools/list")
      const alone = yield* Effect.forkChild(list)
      yield* Effect.promise(() => setTimeout(5))
      yield* Fiber.interrupt(alone)
      const first = yield* Effect.forkChild(list)
      const others = yield* Effect.forkChild(Effect.all([list, list], { concurrency: "unbounded" }))
      yield* Effect.promise(() => setTimeout(5))
      yield* Fiber.interrupt(first)
      for (const { body, status } of [...(yield* Fiber.join(others)), yield* list]) {
        assert.strictEqual(status, 200)
        assert.isNotEmpty(body.result.tools)
      }
    })
  )
})
