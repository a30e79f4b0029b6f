import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate, Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../src/api/Api.ts"
import { formatApiKey, type KeyHolder } from "../../src/domain/people/apiKey.ts"
import { Issue } from "../../src/domain/errors.ts"
import type { StoredPost } from "../../src/domain/posts/postPlan.ts"
import { requestId } from "../../src/domain/samples.ts"
import { keyHeaders, send } from "../support/http/client.ts"
import { aPost, aStoredPost, postId } from "../support/http/samplePosts.ts"
import { apiKey, holder, repoWithKey, startServer } from "../support/http/server.ts"

const { components } = OpenApi.fromApi(Api)

/** The documented example of a problem. */
const findExample = (name: string): unknown => {
  const examples = Predicate.hasProperty(components, "examples") ? components.examples : {}
  const example = Predicate.hasProperty(examples, name) ? examples[name] : {}
  return Predicate.hasProperty(example, "value") ? example.value : undefined
}

interface Case {
  /** The name of the example in the document. */
  readonly example: string
  readonly request: readonly [method: string, path: string, body?: string]
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: Partial<KeyHolder>
  readonly post?: Partial<StoredPost>
}

const post = `/v1/posts/${postId}`
const create = (body: object): Case["request"] => ["POST", "/v1/posts", JSON.stringify(body)]
const own = { status: "draft", createdByKey: holder.keyId } as const

const cases: ReadonlyArray<Case> = [
  {
    example: "InvalidRequest.invalid_request",
    request: create({ platforms: ["twitter"], schedule_at: "1970-07-01T00:00:00Z" })
  },
  { example: "InvalidState.invalid_state", request: ["PATCH", post, "{}"], post: { status: "published" } },
  {
    example: "ContentTooLong.content_too_long",
    request: create({ content: "a".repeat(312), platforms: ["twitter"], schedule_at: "1970-01-02T00:00:00Z" })
  },
  {
    example: "Unauthorized.unauthorized",
    request: ["GET", post],
    headers: keyHeaders(formatApiKey("Z".repeat(32)))
  },
  { example: "InsufficientScope.insufficient_scope", request: ["PATCH", post, "{}"], key: { scopes: ["posts:read"] } },
  {
    example: "ApprovalRequired.approval_required",
    request: ["POST", `${post}/publish`],
    key: { requiresApproval: true }
  },
  { example: "NotOwnDraft.not_own_draft", request: ["PATCH", post, "{}"], key: { requiresApproval: true } },
  {
    example: "PreconditionRequired.precondition_required",
    request: ["PATCH", post, "{}"],
    key: { requiresApproval: true },
    post: { ...own, approvalRequestedRevision: 1 }
  },
  {
    example: "RevisionMismatch.revision_mismatch",
    request: ["PATCH", post, "{}"],
    headers: { "if-match": '"3"' },
    post: { revision: 4, status: "scheduled" }
  },
  {
    example: "UnsupportedMediaType.unsupported_media_type",
    request: ["PATCH", post, "{}"],
    headers: { "content-type": "text/plain" }
  }
]

describe("the examples of problems", () => {
  it.effect.each(cases)("The example $example is what the service responds with", ({ example, ...sent }) =>
    Effect.gen(function* () {
      const stored = aStoredPost(sent.post)
      const repo = repoWithKey(
        { posts: { update: (_workspace, _id, decide) => Effect.as(Effect.fromResult(decide(stored, [])), aPost()) } },
        sent.key
      )
      const [method, path, body] = sent.request
      const response = yield* send(`${yield* startServer({ repo })}${path}`, {
        method,
        headers: { ...keyHeaders(apiKey), "content-type": "application/json", ...sent.headers },
        ...(body !== undefined && { body })
      })
      assert.deepStrictEqual({ ...response.body, request_id: requestId }, findExample(example))
    })
  )

  it.effect("The example of an issue is what the service responds with", () =>
    Effect.gen(function* () {
      const { body } = yield* send(`${yield* startServer()}/v1/posts`, {
        method: "POST",
        headers: { ...keyHeaders(apiKey), "content-type": "application/json" },
        body: JSON.stringify({ content: " ", platforms: ["twitter"] })
      })
      assert.deepStrictEqual(body.errors, Schema.resolveAnnotations(Schema.toEncoded(Issue))?.["examples"])
    })
  )
})
