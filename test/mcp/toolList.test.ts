import { assert, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Ajv2020 } from "ajv/dist/2020.js"
import { ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../support/http/team.ts"
import { agents, ask, callTool } from "./agent.ts"

interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly properties?: Readonly<Record<string, { readonly description?: string }>> }
}

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

  it.effect("Every argument is described, and the list has no more words than it needs", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTeam
      const { body } = yield* ask(yield* ServerUrl, key, "tools/list")
      const { tools } = body.result
      const undescribed = tools.flatMap(({ inputSchema, name }: Tool) =>
        Object.entries(inputSchema.properties ?? {}).flatMap(([member, { description }]) =>
          description === undefined ? [`${name}.${member}`] : []
        )
      )
      assert.deepStrictEqual(undescribed, [])
      const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
      assert.isAtMost(bytes(tools), 36_600)
      // What clients hand on to models.
      const read = tools.map(({ description, inputSchema, name }: Tool) => ({ name, description, inputSchema }))
      assert.isAtMost(bytes(read), 18_500)
    })
  )

  it.effect("Arguments that a tool takes fit the schema that it is listed with", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const { body } = yield* ask(url, key, "tools/list")
      const ajv = new Ajv2020({ strict: false, validateFormats: false })
      const part = { content: "More", platform_overrides: { twitter: "More for X" }, platforms: ["twitter", "bluesky"] }
      const post = {
        content: "Hello",
        platforms: ["twitter", "bluesky"],
        schedule_at: "1970-01-02T00:00:00+01:00",
        platform_overrides: { twitter: "For X", bluesky: "For Bluesky" },
        platform_settings: { twitter: { who_can_reply: "verified", other: [1] }, youtube: { title: "A", other: {} } },
        thread: [part],
        media: []
      }
      const draft = {
        ...post,
        tags: ["a"],
        group_id: "01a1fc17-dc2e-777d-ad63-5a461a1bba47",
        status: "draft",
        occurrence: 2
      }
      const { data } = yield* callTool(url, key, "create_post", { ...draft, occurrence: 1 })
      const { content, media, platform_overrides, platform_settings, thread } = post
      const calls: ReadonlyArray<readonly [name: string, args: object]> = [
        ["create_post", draft],
        ["check_post", post],
        [
          "update_post",
          {
            id: data.id,
            etag: "1-draft",
            content,
            media,
            platform_overrides,
            platform_settings,
            thread,
            remove_time: true,
            status: "draft",
            tags: []
          }
        ],
        [
          "list_posts",
          {
            text: "Hello",
            tag: "a",
            from: post.schedule_at,
            to: post.schedule_at,
            limit: 1,
            order: "asc",
            sort: "scheduled_at",
            platform: "youtube",
            status: "draft"
          }
        ],
        ["split_text", { content, platforms: post.platforms, numbering: "suffix", max_parts: 3 }],
        ["list_notifications", { page: 1, limit: 2, level: "attention", unread: false }]
      ]
      for (const [name, args] of calls) {
        const result = yield* callTool(url, key, name, args)
        assert.isFalse(result.isError, `${name}: ${JSON.stringify(result.data)}`)
        const tool = body.result.tools.find((listed: Tool) => listed.name === name)
        const validate = ajv.compile(tool.inputSchema)
        assert.ok(validate(args), `${name}: ${JSON.stringify(validate.errors)}`)
        assert.isFalse(validate({ ...args, unknown: 1 }))
      }
      const read = (yield* callTool(url, key, "get_post", { id: data.id })).data
      assert.deepStrictEqual(read.thread, [{ ...part, media: [] }])
    })
  )
})
