import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Domain from "../../src/domain/errors.ts"
import type { StoredPost } from "../../src/domain/posts/postPlan.ts"
import type { ExpectedCalls } from "../support/database/fakeRepo.ts"
import { call, keyHeaders, sendJson } from "../support/http/client.ts"
import { apiKey, repoWithKey, startServer } from "../support/http/server.ts"
import { aPost, aStoredPost, postId } from "../support/http/samplePosts.ts"
import { capturedTelemetryLayer, Log } from "../support/telemetry/capturedTelemetry.ts"

const post = `/v1/posts/${postId}`

/** The calls of a Repo with a draft to publish. */
const publishingDraft = (changes: Partial<StoredPost>): ExpectedCalls => ({
  posts: {
    publish: (_workspace, _id, decide) => Effect.as(Effect.fromResult(decide(aStoredPost(changes), [])), aPost())
  }
})

const unavailable = new Domain.DatabaseUnavailable({
  operation: "listing posts",
  cause: new Error("db.internal:5432 refused")
})

const failures: ReadonlyArray<{
  readonly calls: ExpectedCalls
  /** The method and the path. */
  readonly request: string
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  readonly body: { readonly code: string; readonly detail: string; readonly [member: string]: unknown }
}> = [
  {
    calls: { posts: { getJson: () => Effect.fail(new Domain.NotFound({ message: "There is no such post" })) } },
    request: `GET ${post}`,
    status: 404,
    body: { code: "not_found", detail: "There is no such post" }
  },
  {
    calls: { posts: { remove: () => Effect.fail(new Domain.InvalidState({ message: "It is being sent" })) } },
    request: `DELETE ${post}`,
    status: 400,
    body: { code: "invalid_state", detail: "It is being sent" }
  },
  {
    calls: publishingDraft({ content: "a".repeat(281) }),
    request: `POST ${post}/publish`,
    status: 400,
    body: {
      code: "content_too_long",
      detail: "twitter accepts a length of 280 weighted characters, but this text has 281",
      violations: [{ platform: "twitter", length: 281, limit: 280, unit: "weighted characters" }]
    }
  },
  {
    calls: publishingDraft({ overrides: { twitter: " " } }),
    request: `POST ${post}/publish`,
    status: 400,
    body: {
      code: "invalid_request",
      detail: "platform_overrides.twitter: Expected a text that is not blank",
      errors: [
        {
          path: ["platform_overrides", "twitter"],
          message: "Expected a text that is not blank",
          code: "text_blank"
        }
      ]
    }
  },
  {
    calls: { posts: { list: () => Effect.fail(unavailable) } },
    request: "GET /v1/posts",
    status: 503,
    body: { code: "unavailable", detail: "The database did not answer; try again in a few seconds" }
  },
  {
    calls: { apiKeys: { find: () => Effect.fail(unavailable) } },
    request: "GET /v1/posts",
    status: 503,
    body: { code: "unavailable", detail: "The database did not answer; try again in a few seconds" }
  },
  {
    calls: { posts: { remove: () => Effect.fail(unavailable) } },
    request: `DELETE ${post}`,
    status: 503,
    body: {
      code: "unavailable",
      detail: "The database did not answer. The change may be stored; look before you repeat it"
    }
  },
  {
    calls: { idempotency: { once: () => Effect.fail(unavailable) } },
    request: `DELETE ${post}`,
    headers: { "idempotency-key": "gone" },
    status: 503,
    body: {
      code: "unavailable",
      detail:
        "The database did not answer. Repeat the same request in a few seconds; if the change is stored, it is not made again"
    }
  }
]

describe("domain and database errors", () => {
  it.effect.each(failures)(
    "The request $request fails with the problem $status $body.code",
    ({ calls, request, headers, status, body }) =>
      Effect.gen(function* () {
        const [method = "", path = ""] = request.split(" ")
        const url = yield* startServer({ repo: repoWithKey(calls) })
        const response = yield* sendJson(`${url}${path}`, method, { ...keyHeaders(apiKey), ...headers })
        assert.strictEqual(response.status, status)
        assert.strictEqual(response.headers.get("content-type"), "application/problem+json")
        const { type, title, request_id, ...members } = response.body
        assert.deepStrictEqual(members, { status, ...body })
        assert.strictEqual(type, `urn:social-publisher:problem:${body.code}`)
        assert.isNotEmpty(title)
        assert.strictEqual(request_id, response.headers.get("x-request-id"))
        assert.strictEqual(response.headers.get("retry-after"), status === 503 ? "5" : null)
      })
  )

  it.effect("POST /v1/posts names the platforms that are not connected", () =>
    Effect.gen(function* () {
      const message = "bluesky is not connected in this workspace"
      const refused = new Domain.IntegrationNotConnected({ message, platforms: ["bluesky"] })
      const url = yield* startServer({ repo: repoWithKey({ posts: { createOnce: () => Effect.fail(refused) } }) })
      const { status, body } = yield* call(`${url}/v1/posts`, "POST", { content: "Hello", platforms: ["bluesky"] })
      assert.strictEqual(status, 400)
      assert.strictEqual(body.code, "integration_not_connected")
      assert.deepStrictEqual(body.platforms, ["bluesky"])
      assert.strictEqual(body.detail, message)
    })
  )
})

describe("defects", () => {
  const secret = "password=hunter2"
  const defects = [
    { kind: "an error", defect: new Error(secret) },
    { kind: "a thrown string", defect: secret },
    { kind: "a domain error that the contract does not name", defect: new Domain.ClaimLost() }
  ]

  it.effect.each(defects)(
    "A defect that is $kind gets a 500 without details, and is logged with the request's id",
    ({ defect }) =>
      Effect.gen(function* () {
        const url = yield* startServer({ repo: repoWithKey({ posts: { getJson: () => Effect.die(defect) } }) })
        const { status, body, text } = yield* call(`${url}${post}`)
        assert.strictEqual(status, 500)
        assert.strictEqual(body.code, "internal")
        assert.notInclude(text, "hunter2")
        const [entry] = yield* Log
        assert.strictEqual(entry?.level, "Error")
        assert.strictEqual(entry?.annotations["request_id"], body.request_id)
        assert.strictEqual(entry?.annotations["path"], post)
        if (!(defect instanceof Domain.ClaimLost)) assert.include(`${entry?.message} ${entry?.cause}`, secret)
      }).pipe(Effect.provide(capturedTelemetryLayer))
  )
})
