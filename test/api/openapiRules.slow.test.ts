import { assert, describe, it } from "@effect/vitest"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import spectral from "@stoplight/spectral-core"
import owasp from "@stoplight/spectral-owasp-ruleset"
import rulesets from "@stoplight/spectral-rulesets"
import { Effect } from "effect"
import { send } from "../support/http/client.ts"
import { startServer } from "../support/http/server.ts"

// Starts early: its rules take many seconds of a core.

/** The rules that the document violates, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  "no-ambiguous-paths": "SPEC.md has /v1/posts/{id}/publish and /v1/posts/group/{group_id}; no id is the word `group`",
  "info-contact": "the project has no contact address",
  "oas3-operation-security-defined":
    "OpenAPI 3.1 allows scopes for every scheme; the rule implements 3.0, which allows them for OAuth only",
  "owasp:api4:2023-array-limit":
    "the limit of 1 MiB for a body bounds every list in it; separate limits would be arbitrary",
  "owasp:api4:2023-string-limit": "the same applies to texts, whose length limits are the platforms'",
  "owasp:api4:2023-string-restricted": "the text of a post is free-form",
  "owasp:api4:2023-integer-limit": "only statuses have none, and each lists its single value",
  "owasp:api2:2023-write-restricted": "logging in is how users authenticate",
  "owasp:api4:2023-rate-limit": "logging in has no workspace yet whose requests could be counted",
  "owasp:api8:2023-define-error-responses-401": "an invitation is read without credentials, so none can be wrong",
  "owasp:api8:2023-define-cors-origin": "pages of other origins may not call the API, so there are no CORS headers",
  "owasp:api9:2023-inventory-access": "the only server is the one that serves the document"
}

/** The document as clients receive it. */
const served = Effect.gen(function* () {
  const { body } = yield* send(`${yield* startServer()}/openapi.json`)
  return `${JSON.stringify(body, null, 2)}\n`
})

const lintWithRedocly = Effect.fnUntraced(function* (source: string) {
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

/** Redocly's rules check the examples, for which Spectral would compile each one's schema again. */
const checkedByRedocly = { "oas3-valid-media-example": "off", "oas3-valid-schema-example": "off" } as const

const lintWithSpectral = Effect.fnUntraced(function* (source: string) {
  const linter = new spectral.Spectral()
  linter.setRuleset(new spectral.Ruleset({ extends: [rulesets.oas, owasp], rules: checkedByRedocly }))
  const problems = yield* Effect.promise(() => linter.run(source))
  return problems.map(({ code, message, path }) => ({ rule: String(code), message, where: path.join("/") }))
})

describe("the rules that an OpenAPI document should follow", () => {
  it.effect(
    "The document follows the rules of Redocly, Spectral and OWASP, except for justified exceptions",
    () =>
      Effect.gen(function* () {
        const source = yield* served
        const problems = [...(yield* lintWithRedocly(source)), ...(yield* lintWithSpectral(source))]
        assert.deepStrictEqual(
          problems.filter(({ rule }) => !(rule in exceptions)),
          []
        )
        assert.sameMembers(Array.from(new Set(problems.map(({ rule }) => rule))), Object.keys(exceptions))
      })
    // The rules take ten seconds of a core for a document of this size.
  )
})
