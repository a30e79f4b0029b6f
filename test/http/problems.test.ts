import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, References } from "effect"
import * as Domain from "../../src/domain/errors.ts"
import type { StoredPost } from "../../src/domain/postPlan.ts"
import type { ExpectedCalls } from "../support/database/fakeRepo.ts"
import { call } from "../support/http/client.ts"
import { startServer, repoWithKey } from "../support/http/server.ts"
import { aPost, postId } from "../support/http/samplePosts.ts"

const post = `/v1/posts/${postId}`

/** A store that holds a draft of a text, as far as publishing it goes. */
const holding = (content: string, overrides: StoredPost["overrides"] = {}): ExpectedCalls => ({
  posts: {
    publish: (_workspace, _id, decide) =>
      Effect.as(
        Effect.fromResult(
          decide({
            status: "draft",
            content,
            platforms: ["twitter"],
            scheduledAt: null,
            tags: [],
            overrides,
            settings: {},
            maybePublished: false
          })
        ),
        aPost()
      )
  }
})

const away = new Domain.DatabaseUnavailable({
  operation: "listing posts",
  cause: new Error("db.internal:5432 refused")
})

const failures: ReadonlyArray<{
  readonly calls: ExpectedCalls
  readonly request: readonly [method: string, path: string]
  readonly status: number
  readonly body: { readonly code: string; readonly detail: string; readonly [member: string]: unknown }
}> = [
  {
    calls: { posts: { get: () => Effect.fail(new Domain.NotFound({ message: "There is no such post" })) } },
    request: ["GET", post],
    status: 404,
    body: { code: "not_found", detail: "There is no such post" }
  },
  {
    calls: { posts: { remove: () => Effect.fail(new Domain.InvalidState({ message: "It is being sent" })) } },
    request: ["DELETE", post],
    status: 400,
    body: { code: "invalid_state", detail: "It is being sent" }
  },
  {
    calls: holding("a".repeat(281)),
    request: ["POST", `${post}/publish`],
    status: 400,
    body: {
      code: "content_too_long",
      detail: "twitter takes 280, this is 281",
      violations: [{ platform: "twitter", length: 281, limit: 280 }]
    }
  },
  {
    calls: holding("Hello", { twitter: " " }),
    request: ["POST", `${post}/publish`],
    status: 400,
    body: {
      code: "invalid_request",
      detail: "platform_overrides.twitter: Expected a text that is not blank",
      errors: [{ path: ["platform_overrides", "twitter"], message: "Expected a text that is not blank" }]
    }
  },
  {
    calls: { posts: { list: () => Effect.fail(away) } },
    request: ["GET", "/v1/posts"],
    status: 503,
    body: { code: "unavailable", detail: "The database does not answer; try again in a few seconds" }
  },
  {
    calls: { apiKeys: { find: () => Effect.fail(away) } },
    request: ["GET", "/v1/posts"],
    status: 503,
    body: { code: "unavailable", detail: "The database does not answer; try again in a few seconds" }
  }
]

describe("what the domain and the store fail with", () => {
  it.effect.each(failures)(
    "is answered as a problem: $request is a $status $body.code",
    ({ calls, request: [method, path], status, body }) =>
      Effect.gen(function* () {
        const url = yield* startServer({ repo: repoWithKey(calls) })
        const answer = yield* call(`${url}${path}`, method)
        assert.strictEqual(answer.status, status)
        assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
        const { type, title, request_id, ...members } = answer.body
        assert.deepStrictEqual(members, { status, ...body })
        assert.strictEqual(type, `urn:social-publisher:problem:${body.code}`)
        assert.isNotEmpty(title)
        assert.strictEqual(request_id, answer.headers.get("x-request-id"))
        assert.strictEqual(answer.headers.get("retry-after"), status === 503 ? "5" : null)
      })
  )

  it.effect("names the platforms that are not connected", () =>
    Effect.gen(function* () {
      const message = "bluesky is not connected in this workspace"
      const refused = new Domain.IntegrationNotConnected({ message, platforms: ["bluesky"] })
      const url = yield* startServer({ repo: repoWithKey({ posts: { create: () => Effect.fail(refused) } }) })
      const { status, body } = yield* call(`${url}/v1/posts`, "POST", { content: "Hello", platforms: ["bluesky"] })
      assert.strictEqual(status, 400)
      assert.strictEqual(body.code, "integration_not_connected")
      assert.deepStrictEqual(body.platforms, ["bluesky"])
      assert.strictEqual(body.detail, message)
    })
  )
})

describe("a defect", () => {
  const secret = "password=hunter2"
  const defects = [
    { kind: "an error", defect: new Error(secret) },
    { kind: "something that is not an error", defect: secret },
    { kind: "a domain error that the contract does not name", defect: new Domain.ClaimLost() }
  ]

  it.effect.each(defects)(
    "is answered as a 500 that says nothing of it, and logged with the request's id: $kind",
    ({ defect }) =>
      Effect.gen(function* () {
        const logged: Array<{ readonly cause: string; readonly annotations: Record<string, unknown> }> = []
        const logger = Logger.make(({ cause, fiber, message }) => {
          logged.push({
            cause: `${String(message)} ${String(cause)}`,
            annotations: fiber.getRef(References.CurrentLogAnnotations)
          })
        })
        const url = yield* startServer({ repo: repoWithKey({ posts: { get: () => Effect.die(defect) } }) }).pipe(
          Effect.provide(Logger.layer([logger]))
        )
        const { status, body, text } = yield* call(`${url}${post}`)
        assert.strictEqual(status, 500)
        assert.strictEqual(body.code, "internal")
        assert.notInclude(text, "hunter2")
        const [entry] = logged
        assert.strictEqual(entry?.annotations["request_id"], body.request_id)
        assert.strictEqual(entry?.annotations["path"], post)
        if (!(defect instanceof Domain.ClaimLost)) assert.include(entry?.cause, secret)
      })
  )
})
