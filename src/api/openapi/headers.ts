import type { OpenApi } from "effect/http-api"
import { postId, requestId } from "../../domain/samples.ts"

/**
 * Response headers to which this API adds meaning beyond HTTP's. A `required` header is in every response that lists
 * it.
 */
export const headers = {
  "X-Request-Id": {
    description:
      "The request's id in the service's logs. A request can bring its own in this header: up to 64 letters, digits and `._-`, which must not look like a key.",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9_.-]{1,64}$", maxLength: 64 },
    example: requestId
  },
  Location: {
    description: "The URL of the created resource.",
    required: true,
    schema: { type: "string", format: "uri" },
    example: `https://posts.example/v1/posts/${postId}`
  },
  ETag: {
    description: "The post's `revision` and `status` as an entity tag, for `If-Match`.",
    required: true,
    schema: { type: "string" },
    example: '"2-publishing"'
  },
  BytesETag: {
    description: "The entity tag of the bytes, for `If-None-Match` and `If-Range`.",
    required: true,
    schema: { type: "string" },
    example: '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"'
  },
  "Accept-Ranges": {
    description: "Says that a `Range` of bytes can be asked for.",
    required: true,
    schema: { type: "string", enum: ["bytes"] },
    example: "bytes"
  },
  "Content-Range": {
    description: "The range of the bytes in the response and the size of all bytes; for a 416 only the size.",
    required: true,
    schema: { type: "string" },
    example: "bytes 0-499/2483109"
  },
  "WWW-Authenticate": {
    description: "How to authenticate; has `error` if the request had an invalid API key.",
    required: true,
    schema: { type: "string" },
    example: 'Bearer realm="social-publisher", error="invalid_token"'
  },
  "Retry-After": {
    description: "The number of seconds to wait before a retry.",
    required: true,
    schema: { type: "integer", format: "int32", minimum: 0, maximum: 86_400 },
    example: 5
  },
  "RateLimit-Policy": {
    description:
      "The number of requests (`q`) that the workspace may send per window (`w`, in seconds), over all of its API keys and sessions. " +
      "Each person also has a limit of their own of the same size, `person`, and is limited by that alone. Omitted for unauthenticated callers.",
    schema: { type: "string" },
    example: '"workspace";q=300;w=60'
  },
  RateLimit: {
    description:
      "The workspace's remaining requests (`r`) and the seconds until the window ends (`t`). Omitted for unauthenticated callers.",
    schema: { type: "string" },
    example: '"workspace";r=287;t=42'
  },
  "Idempotent-Replayed": {
    description: "Present if this is the response to an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] },
    example: "true"
  },
  "Set-Cookie": {
    description: "Sets or removes the session cookie.",
    required: true,
    schema: { type: "string" },
    example: "__Host-session=…; Path=/; HttpOnly; Secure; SameSite=Lax"
  }
}

/** Effect writes header names in lower case. */
export const headerName = (name: string): string =>
  name === "etag" ? "ETag" : name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())

export const headerReferences = (names: ReadonlyArray<string>): Record<string, object> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const cookieOperations = new Set(["logIn", "logOut", "changeWorkspace", "changePassword", "acceptInvite"])

const retryStatuses = new Set([409, 429, 503])

/**
 * A 409 of this operation can also mean that the post has changed. Waiting does not help then, so no Retry-After is
 * listed.
 */
const conflictingOperation = "approvePost"

export const responseHeaders = (
  { operationId, parameters, security }: OpenApi.OpenAPISpecOperation,
  status: number,
  response: OpenApi.OpenApiSpecResponse
): Record<string, object> => {
  const isSuccess = status < 400
  const isIdempotent = parameters.some(({ name }) => name === "idempotency-key")
  return headerReferences([
    ...Object.keys(response.headers ?? {}).map(headerName),
    "X-Request-Id",
    ...(security.length > 0 ? ["RateLimit-Policy", "RateLimit"] : []),
    ...(isSuccess && isIdempotent ? ["Idempotent-Replayed"] : []),
    ...(isSuccess && cookieOperations.has(operationId) ? ["Set-Cookie"] : []),
    ...(status === 401 ? ["WWW-Authenticate"] : []),
    ...(retryStatuses.has(status) && (status !== 409 || (isIdempotent && operationId !== conflictingOperation))
      ? ["Retry-After"]
      : [])
  ])
}
