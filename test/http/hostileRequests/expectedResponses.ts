import { version } from "../../../src/domain/version.ts"
import type { ExpectedResponse } from "./hostileCase.ts"

/** A problem, without its type, title and request_id. */
export const problem = (status: number, code: string, detail: string, more: object = {}): ExpectedResponse => ({
  status,
  body: { status, code, detail, ...more }
})

/** A response after which the server closes the connection. */
export const closing = (response: ExpectedResponse): ExpectedResponse => ({ ...response, closes: true })

/** A 400 for one or several fields, each with its path and message. */
export const invalid = (
  ...fields: ReadonlyArray<
    readonly [path: string, message: string, meaning?: { readonly code: string; readonly facts?: object }]
  >
): ExpectedResponse =>
  problem(400, "invalid_request", fields.map(([path, message]) => `${path}: ${message}`).join("; "), {
    errors: fields.map(([path, message, meaning]) => ({
      path: path.split(".").map((name) => (/^\d+$/.test(name) ? Number(name) : name)),
      message,
      ...meaning
    }))
  })

/** The arguments of `invalid` for a value without the expected form. */
export const malformed = (path: string, expected: string) =>
  [path, `Expected ${expected}`, { code: "malformed", facts: { expected } }] as const

export const tooLong = (path: string, message: string, limit: number) =>
  [path, message, { code: "too_long", facts: { limit } }] as const

/** A 400 for the whole body. */
export const invalidBody = (detail: string): ExpectedResponse =>
  problem(400, "invalid_request", detail, { errors: [{ path: [], message: detail }] })

export const notJson = (reason: string): ExpectedResponse => invalidBody(`The body is not well-formed JSON: ${reason}`)

export const notUtf8 = invalidBody("The body is not valid UTF-8")

/** A 400 from the request guard. */
export const ambiguous = (detail: string): ExpectedResponse =>
  closing(problem(400, "invalid_request", detail, { errors: [] }))

/** A 400 from the HTTP parser, or for another protocol. */
export const notHttp = ambiguous("This is not an HTTP/1.1 request")

/** A 415 for a body that came `as text/plain`, or `with Content-Encoding: gzip`. */
export const unsupportedType = (came: string) =>
  problem(
    415,
    "unsupported_media_type",
    `The body came ${came}. Send it as it is, without Content-Encoding, and with Content-Type: application/json`
  )

export const unsupportedCharset = (charset: string) =>
  problem(
    415,
    "unsupported_media_type",
    `The body came with charset=${charset}. Send it in UTF-8, with Content-Type: application/json`
  )

export const bodyTooLarge = closing(problem(413, "payload_too_large", "A body may have 1 MiB at most"))

export const headersTooLarge = closing(problem(431, "headers_too_large", "The headers are larger than 16 KiB"))

export const notFound = problem(404, "not_found", "There is nothing at this URL; /docs lists the URLs of the API")

export const noSuchPost = problem(404, "not_found", "There is no such post in this workspace")

export const unauthorized = (detail: string): ExpectedResponse => problem(401, "unauthorized", detail)

export const keyMissing = unauthorized("Send an API key: Authorization: Bearer sps_…")

export const keyMalformed = unauthorized("This is not an API key; it may be cut off or mistyped")

export const methodNotAllowed = problem(405, "method_not_allowed", "The header Allow lists the methods of this address")

export const healthy: ExpectedResponse = { status: 200, body: JSON.stringify({ status: "ok", version }) }

export const postList: ExpectedResponse = { status: 200, body: /^\{"data":\[\{"id":/ }

export const draft: ExpectedResponse = {
  status: 200,
  body: /^\{"data":\{"id":"[-0-9a-f]{36}","status":"draft",/
}

export const created: ExpectedResponse = {
  status: 201,
  body: /^\{"id":"[-0-9a-f]{36}","status":"draft",/,
  changes: { post_targets: [1, 0], posts: [1, 0] }
}

const required = "This member is required"

export const contentAndPlatformsMissing = invalid(["content", required], ["platforms", required])

export const unknownMember =
  "Unknown member; the members are content, platforms, schedule_at, schedule, tags, platform_overrides, platform_settings, media, thread, group_id, status"

export const unknownMemberOfUpdate =
  "Unknown member; the members are content, platforms, scheduled_at, schedule, tags, platform_overrides, platform_settings, media, thread, status, keep_approval_request"

const platforms = "twitter, bluesky, linkedin, instagram, youtube, tiktok, threads, facebook"

export const unknownPlatform = `Unknown member; the members are ${platforms}`

export const expectedPlatform = `Expected ${platforms
  .split(", ")
  .map((name) => `"${name}"`)
  .join(" | ")}`

export const expectedTime = "Expected an ISO 8601 date and time with a zone, such as 2030-01-31T09:00:00Z"

export const expectedText = "Expected a text without NUL characters and unpaired surrogates"

export const notUuid = invalid(malformed("id", "a UUID"))

export const invalidLimit = invalid(malformed("limit", "a whole number from 1 to 1000"))

export const invalidStatus = invalid([
  "status",
  'Expected "draft" | "scheduled" | "publishing" | "published" | "failed"'
])
