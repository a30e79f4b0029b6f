import type { OpenApi } from "effect/http-api"
import { postId, requestId } from "./samples.ts"

/** Every header of an answer that means more here than HTTP itself says. Those that are required are always there. */
export const headers: Readonly<Record<string, object>> = {
  "X-Request-Id": {
    description:
      "Names the request in the service's logs. It is the one that the request has in this header, if that is one word of at " +
      "most 128 letters, digits and `._:-`.",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9_.:-]{1,128}$", maxLength: 128 },
    example: requestId
  },
  Location: {
    description: "The address of what was created.",
    required: true,
    schema: { type: "string", format: "uri" },
    example: `https://posts.example/v1/posts/${postId}`
  },
  "WWW-Authenticate": {
    description: "How to authenticate, and `error` where a key was sent that is not valid.",
    required: true,
    schema: { type: "string" },
    example: 'Bearer realm="social-publisher", error="invalid_token"'
  },
  "Retry-After": {
    description: "In how many seconds to try again.",
    required: true,
    schema: { type: "integer", format: "int32", minimum: 0, maximum: 86_400 },
    example: 5
  },
  "RateLimit-Policy": {
    description:
      "How many requests the workspace may send (`q`) in a window of so many seconds (`w`), over all of its keys and sessions. " +
      "Absent where the caller is not known.",
    schema: { type: "string" },
    example: '"workspace";q=300;w=60'
  },
  RateLimit: {
    description:
      "How many requests are left to the workspace (`r`), and in how many seconds the window ends (`t`). " +
      "Absent where the caller is not known.",
    schema: { type: "string" },
    example: '"workspace";r=287;t=42'
  },
  "Idempotent-Replayed": {
    description: "That this is the answer of an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] },
    example: "true"
  },
  "Set-Cookie": {
    description: "The session's cookie, for the browser to keep or to forget.",
    required: true,
    schema: { type: "string" },
    example: "__Host-session=…; Path=/; HttpOnly; Secure; SameSite=Lax"
  }
}

const statusHeaders: Readonly<Record<number, ReadonlyArray<string>>> = {
  401: ["WWW-Authenticate"],
  409: ["Retry-After"],
  429: ["Retry-After"],
  503: ["Retry-After"]
}

const successHeaders: Readonly<Record<string, ReadonlyArray<string>>> = {
  logIn: ["Set-Cookie"],
  logOut: ["Set-Cookie"]
}

const callHeaders = ["RateLimit-Policy", "RateLimit"]

const isRepeatable = ({ parameters }: OpenApi.OpenAPISpecOperation): boolean =>
  parameters.some(({ name }) => name === "idempotency-key")

const namesOf = (operation: OpenApi.OpenAPISpecOperation, status: number): ReadonlyArray<string> => [
  "X-Request-Id",
  ...(operation.security.length > 0 ? callHeaders : []),
  ...(status < 400 && isRepeatable(operation) ? ["Idempotent-Replayed"] : []),
  ...(status < 400 ? (successHeaders[operation.operationId] ?? []) : []),
  ...(statusHeaders[status] ?? [])
]

const canonical = (name: string): string =>
  Object.keys(headers).find((known) => known.toLowerCase() === name.toLowerCase()) ?? name

/** References to headers by their names. */
export const headerReferences = (names: ReadonlyArray<string>): Record<string, object> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The headers of an answer: those that the contract declares, and those that everything of its kind carries. */
export const headersOf = (
  operation: OpenApi.OpenAPISpecOperation,
  status: number,
  response: OpenApi.OpenApiSpecResponse
): Record<string, object> => {
  const declared = Object.keys(response.headers ?? {}).map(canonical)
  return headerReferences([...declared, ...namesOf(operation, status)])
}
