import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import path from "node:path"
import { promisify } from "node:util"
import { send } from "../support/http/client.ts"
import { startServer } from "../support/http/server.ts"
import { compileFolder, installPackages } from "../support/process/installPackages.ts"
import { root } from "../support/process/program.ts"

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

const folder = "test/api/rules"
const Problems = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ rule: Schema.String, message: Schema.String, where: Schema.optional(Schema.String) }))
)

/** The rules run in a process of their own, whose packages are installed when they are first needed. */
const lint = Effect.fnUntraced(function* (source: string) {
  const printed = yield* Effect.promise((signal) => {
    const linting = promisify(execFile)(process.execPath, [path.join(root, folder, "lint.ts")], {
      signal,
      maxBuffer: 10_000_000
    })
    linting.child.stdin?.end(source)
    return linting
  })
  return yield* Schema.decodeEffect(Problems)(printed.stdout)
})

describe("the rules that an OpenAPI document should follow", () => {
  it.effect(
    "The document follows the rules of Redocly, Spectral and OWASP, except for justified exceptions",
    () =>
      Effect.gen(function* () {
        yield* Effect.promise(() => installPackages(folder))
        const problems = yield* lint(yield* served)
        assert.deepStrictEqual(
          problems.filter(({ rule }) => !(rule in exceptions)),
          []
        )
        assert.sameMembers(Array.from(new Set(problems.map(({ rule }) => rule))), Object.keys(exceptions))
      })
    // The rules take ten seconds of a core for a document of this size.
  )

  it("The program that checks the rules compiles with the packages of its own lock file", async () => {
    assert.deepInclude(await compileFolder(folder), { stdout: "" })
  })
})
