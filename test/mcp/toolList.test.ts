import { assert, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Ajv2020 } from "ajv/dist/2020.js"
import { ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../support/http/team.ts"
import { agents, ask } from "./agent.ts"

layer(databaseServerLayer({ others: agents, rateLimitPerMinute: 100_000 }))("list of tools", (it) => {
  it.effect("The names, schemas and hints of the tools are those that the file has", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTeam
      const { body } = yield* ask(yield* ServerUrl, key, "tools/list")
      yield* Effect.promise(() =>
        // The linter does not know it.effect of a layer.
        // oxlint-disable-next-line vitest/no-standalone-expect
        expect(`${JSON.stringify(body.result.tools, undefined, 2)}\n`).toMatchFileSnapshot("toolList.json")
      )
    })
  )

  it.effect(
    "Every schema is JSON Schema 2020-12 with an object at its root, and arguments have no further members",
    () =>
      Effect.gen(function* () {
        const { key } = yield* makeTeam
        const { body } = yield* ask(yield* ServerUrl, key, "tools/list")
        const ajv = new Ajv2020({ strict: false, validateFormats: false })
        for (const { inputSchema, outputSchema } of body.result.tools) {
          for (const schema of [inputSchema, outputSchema]) {
            assert.isTrue(ajv.validateSchema(schema))
            assert.strictEqual(schema.type, "object")
          }
          assert.isFalse(inputSchema.additionalProperties)
        }
      })
  )
})
