import { assert, describe, expect, it } from "@effect/vitest"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import spectral from "@stoplight/spectral-core"
import owasp from "@stoplight/spectral-owasp-ruleset"
import rulesets from "@stoplight/spectral-rulesets"
import { Effect, Logger, Predicate } from "effect"
import { send } from "../support/http/client.ts"
import { startServer } from "../support/http/server.ts"

/** Rules that the document breaks, and why it does. */
const exceptions: Readonly<Record<string, string>> = {
  "no-ambiguous-paths":
    "SPEC.md gives /v1/posts/{id}/publish and /v1/posts/group/{group_id}; no id is the word `group`",
  "info-contact": "the project has no address to write to",
  "oas3-operation-security-defined":
    "OpenAPI 3.1 lets every scheme list what it needs; the rule knows 3.0, where only OAuth may",
  "owasp:api4:2023-array-limit": "the 1 MiB of a body bounds every list in it; a bound of each would be invented",
  "owasp:api4:2023-string-limit": "the same for texts, whose length is for the platforms to judge",
  "owasp:api4:2023-string-restricted": "texts are free, that is what a post is",
  "owasp:api4:2023-integer-limit": "only statuses lack it, and their one value is listed",
  "owasp:api2:2023-write-restricted": "logging in is what makes somebody known",
  "owasp:api4:2023-rate-limit": "whoever logs in belongs to no workspace yet, whose requests could be counted",
  "owasp:api8:2023-define-cors-origin": "no other origin's pages may call the API, which having no such header says",
  "owasp:api9:2023-inventory-access": "the one server is that which serves the document"
}

/** The document as clients get it. */
const served = Effect.gen(function* () {
  const { body } = yield* send(`${yield* startServer()}/openapi.json`)
  return `${JSON.stringify(body, null, 2)}\n`
})

const byRedocly = Effect.fnUntraced(function* (source: string) {
  const config = yield* Effect.promise(() =>
    createConfig({
      extends: ["recommended"],
      rules: {
        "no-invalid-schema-examples": "error",
        "no-invalid-media-type-examples": "error",
        "no-invalid-parameter-examples": "error"
      }
    })
  )
  const problems = yield* Effect.promise(() => lintFromString({ source, config }))
  return problems.map(({ ruleId, message, location: [place] }) => ({ rule: ruleId, message, where: place?.pointer }))
})

const bySpectral = Effect.fnUntraced(function* (source: string) {
  const linter = new spectral.Spectral()
  linter.setRuleset(new spectral.Ruleset({ extends: [rulesets.oas, owasp] }))
  const problems = yield* Effect.promise(() => linter.run(source))
  return problems.map(({ code, message, path }) => ({ rule: String(code), message, where: path.join("/") }))
})

type Member = readonly [where: string, schema: object]

/** The members of a schema's objects, and those inside them. */
const membersOf = (where: string, schema: unknown): ReadonlyArray<Member> => {
  if (!Predicate.isObject(schema)) return []
  const properties = Predicate.isObject(schema["properties"]) ? Object.entries(schema["properties"]) : []
  return [
    ...properties.flatMap(([name, member]) =>
      Predicate.isObject(member)
        ? [[`${where}.${name}`, member] as const, ...membersOf(`${where}.${name}`, member)]
        : []
    ),
    ...membersOf(where, schema["items"])
  ]
}

describe("the OpenAPI document", () => {
  it.effect("breaks no rule of Redocly's, Spectral's and OWASP's, but for exceptions with a reason", () =>
    Effect.gen(function* () {
      const source = yield* served
      const problems = [...(yield* byRedocly(source)), ...(yield* bySpectral(source))]
      assert.deepStrictEqual(
        problems.filter(({ rule }) => !(rule in exceptions)),
        []
      )
      assert.sameMembers(Array.from(new Set(problems.map(({ rule }) => rule))), Object.keys(exceptions))
    })
  )

  it.effect("says of every schema and every member what it is, and shows every schema by example", () =>
    Effect.gen(function* () {
      const { components } = JSON.parse(yield* served)
      for (const [name, schema] of Object.entries<Record<string, unknown>>(components.schemas)) {
        assert.isString(schema["description"], name)
        assert.isNotEmpty(schema["examples"], name)
        for (const [where, member] of membersOf(name, schema))
          assert.isTrue("description" in member || "$ref" in member, `${where} has no description`)
      }
    })
  )

  it.effect("gives every answer examples and what is sent in either direction a name", () =>
    Effect.gen(function* () {
      const { paths } = JSON.parse(yield* served)
      const operations = Object.values<object>(paths).flatMap((item) => Object.values(item))
      for (const { operationId, requestBody = {}, responses } of operations)
        for (const { content = {} } of [requestBody, ...Object.values<Record<string, object>>(responses)])
          for (const { schema, examples } of Object.values<Record<string, object>>(content)) {
            assert.hasAnyKeys(schema, ["$ref", "oneOf", "anyOf"], operationId)
            assert.isNotEmpty(examples, operationId)
          }
    })
  )

  it("is the one that is kept in openapi.json; after a change that is meant, `npm test -- -u` writes it there", async () => {
    const source = await Effect.runPromise(served.pipe(Effect.scoped, Effect.provide(Logger.layer([]))))
    await expect(source).toMatchFileSnapshot("openapi.json")
  })
})
