import { assert, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Scope } from "../../src/domain/people/apiKey.ts"
import { ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam } from "../support/http/team.ts"
import { agents, ask, callTool, toolNames } from "./agent.ts"

const ofScope: ReadonlyArray<readonly [Scope, ReadonlyArray<string>]> = [
  ["posts:read", ["list_posts", "get_post", "check_post", "split_text"]],
  ["posts:write", ["create_post", "update_post", "delete_post"]],
  ["posts:publish", ["publish_post"]],
  ["posts:delete", ["delete_post"]],
  ["media:write", ["add_media"]],
  ["integrations:read", []],
  ["integrations:write", []],
  ["notifications:read", ["list_notifications"]],
  ["webhooks:manage", []]
]

const all = [
  "get_workspace",
  "list_posts",
  "get_post",
  "check_post",
  "split_text",
  "create_post",
  "update_post",
  "delete_post",
  "publish_post",
  "add_media",
  "list_notifications"
]

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

  it.effect("A key sees the tools of its scopes, and a call of another one finds nothing", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { workspaceId } = yield* makeTeam
      assert.deepStrictEqual(ofScope.map(([scope]) => scope).toSorted(), [...Scope.literals].toSorted())
      for (const [scope, names] of ofScope) {
        const { key } = yield* makeKey(workspaceId, { scopes: [scope] })
        const visible = ["get_workspace", ...names]
        assert.deepStrictEqual(yield* toolNames(url, key), visible)
        for (const name of all.filter((other) => !visible.includes(other))) {
          const { data, isError } = yield* callTool(url, key, name)
          assert.deepStrictEqual([isError, data.code, data.message], [false, -32_602, `Tool '${name}' not found`])
        }
        for (const name of visible) assert.notStrictEqual((yield* callTool(url, key, name)).data.code, -32_602)
      }
    })
  )

  it.effect("A key that requires approval has no tool that publishes", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* makeTeam
      const { key } = yield* makeKey(workspaceId, { requiresApproval: true })
      const names = yield* toolNames(yield* ServerUrl, key)
      assert.include(names, "create_post")
      assert.notInclude(names, "publish_post")
    })
  )
})
