import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Logger, Predicate } from "effect"
import { AcceptedType } from "../../src/media/limits.ts"
import { send } from "../support/http/client.ts"
import { startServer } from "../support/http/server.ts"

/** The document as clients receive it. */
const served = Effect.gen(function* () {
  const { body } = yield* send(`${yield* startServer()}/openapi.json`)
  return `${JSON.stringify(body, null, 2)}\n`
})

const isBinary = (schema: unknown) => Predicate.isObject(schema) && schema["format"] === "binary"

type Member = readonly [where: string, schema: object]

/** The members of a schema's objects, at every depth. */
const listMembers = (where: string, schema: unknown): ReadonlyArray<Member> => {
  if (!Predicate.isObject(schema)) return []
  const properties = Predicate.isObject(schema["properties"]) ? Object.entries(schema["properties"]) : []
  return [
    ...properties.flatMap(([name, member]) =>
      Predicate.isObject(member)
        ? [[`${where}.${name}`, member] as const, ...listMembers(`${where}.${name}`, member)]
        : []
    ),
    ...listMembers(where, schema["items"])
  ]
}

const isOfBytes = (name: string) => ["ETag", "Accept-Ranges", "Content-Range"].includes(name)

describe("the OpenAPI document", () => {
  it.effect("Every schema but an upload has a description and examples, and every member a description", () =>
    Effect.gen(function* () {
      const { components } = JSON.parse(yield* served)
      for (const [name, schema] of Object.entries<Record<string, unknown>>(components.schemas)) {
        assert.isString(schema["description"], name)
        assert.strictEqual("examples" in schema, name !== "MediaUpload", name)
        for (const [where, member] of listMembers(name, schema))
          assert.isTrue("description" in member || "$ref" in member, `${where} has no description`)
      }
    })
  )

  it.effect("Every request and response body is a named schema with examples, except that of an upload", () =>
    Effect.gen(function* () {
      const { paths } = JSON.parse(yield* served)
      const operations = Object.values<object>(paths).flatMap((item) => Object.values(item))
      for (const { operationId, requestBody = {}, responses } of operations)
        for (const { content = {} } of [requestBody, ...Object.values<Record<string, object>>(responses)])
          for (const [type, { schema, examples }] of Object.entries<Record<string, object>>(content)) {
            if (isBinary(schema)) continue
            assert.hasAnyKeys(schema, ["$ref", "oneOf", "anyOf"], operationId)
            // An example would make Bruno import the upload as text.
            assert.strictEqual(examples !== undefined, type !== "multipart/form-data", operationId)
          }
    })
  )

  it.effect("What returns bytes documents their types, conditions and parts", () =>
    Effect.gen(function* () {
      const { paths } = JSON.parse(yield* served)
      const operations = Object.values<object>(paths).flatMap((item) => Object.values(item))
      const found = operations.flatMap(({ operationId, parameters, responses }) => {
        const content = responses["200"]?.content ?? {}
        if (!Object.values(content).some((media) => Predicate.isObject(media) && isBinary(media["schema"]))) return []
        const sent = parameters.flatMap((each: { readonly in: string; readonly name: string }) =>
          each.in === "header" ? [each.name] : []
        )
        const headersOf = (status: number) => Object.keys(responses[status]?.headers ?? {}).filter(isOfBytes)
        assert.deepStrictEqual(responses["206"]?.content ?? content, content)
        return [[operationId, Object.keys(content), sent, [200, 206, 304, 416].map(headersOf)]]
      })
      const parts = [
        ["ETag", "Accept-Ranges"],
        ["ETag", "Accept-Ranges", "Content-Range"]
      ]
      const ranged = [
        ["If-None-Match", "Range", "If-Range"],
        [...parts, ["ETag", "Accept-Ranges"], ["Content-Range"]]
      ]
      assert.sameDeepMembers(found, [
        ["getMediaContent", [...AcceptedType.literals], ...ranged],
        ["getMediaThumbnail", ["image/webp"], ...ranged],
        ["getIntegrationAvatar", ["image/webp"], ["If-None-Match"], [["ETag"], [], ["ETag"], []]]
      ])
    })
  )

  it("The document equals test/api/openapi.json; `npm test -- -u` updates that file after an intended change", async () => {
    const source = await Effect.runPromise(served.pipe(Effect.scoped, Effect.provide(Logger.layer([]))))
    await expect(source).toMatchFileSnapshot("openapi.json")
  })
})
