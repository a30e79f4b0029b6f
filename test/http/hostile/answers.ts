import type { Expected } from "./case.ts"

/** A problem, without its type, title and request_id. */
export const problem = (status: number, code: string, detail: string, more: object = {}): Expected => ({
  status,
  body: { status, code, detail, ...more }
})

/** A 400 that is about these fields, each with its path and what is wrong with it. */
export const wrong = (...fields: ReadonlyArray<readonly [path: string, message: string]>): Expected =>
  problem(400, "invalid_request", fields.map(([path, message]) => `${path}: ${message}`).join("; "), {
    errors: fields.map(([path, message]) => ({
      path: path.split(".").map((name) => (/^\d+$/.test(name) ? Number(name) : name)),
      message
    }))
  })

/** A 400 that is about the whole body. */
export const unreadable = (detail: string): Expected =>
  problem(400, "invalid_request", detail, { errors: [{ path: [], message: detail }] })

export const notJson = (reason: string): Expected => unreadable(`The body is not well-formed JSON: ${reason}`)

/** A 400 from before there is a request. */
export const noRequest = problem(400, "invalid_request", "This is not an HTTP/1.1 request", { errors: [] })

/** A 400 that is about what is around the body. */
export const ambiguous = (detail: string): Expected => problem(400, "invalid_request", detail, { errors: [] })

export const otherType = problem(
  415,
  "unsupported_media_type",
  "Send the body as it is, without Content-Encoding, and with Content-Type: application/json"
)

export const tooLarge = problem(413, "payload_too_large", "A body may have 1 MiB at most")

export const nothingThere = problem(404, "not_found", "Nothing is served at this URL; /docs lists what is")

export const noSuchPost = problem(404, "not_found", "There is no such post in this workspace")

export const unauthorized = (detail: string): Expected => problem(401, "unauthorized", detail)

export const noMethod = problem(405, "method_not_allowed", "The header Allow lists the methods of this address")

export const healthy: Expected = { status: 200, body: '{"status":"ok"}' }

export const posts: Expected = { status: 200, body: /^\{"data":\[\{"id":/ }

export const created: Expected = { status: 201, body: /^\{"id":"[-0-9a-f]{36}","status":"draft",/ }

/** What members a create body may have. */
export const unknownMember =
  "Unknown member; there are content, platforms, schedule_at, tags, platform_overrides, platform_settings, group_id, status"

export const unknownChange = "Unknown member; there are content, scheduled_at, tags, status"

const platforms = "twitter, bluesky, linkedin, instagram, youtube, tiktok, threads, facebook"

export const unknownPlatform = `Unknown member; there are ${platforms}`

/** What an array of platforms has instead of anything else. */
export const aPlatform = `Expected ${platforms
  .split(", ")
  .map((name) => `"${name}"`)
  .join(" | ")}`

export const aStatus = 'Expected "draft" | "scheduled" | "publishing" | "published" | "failed"'

export const aTime = "Expected an ISO 8601 date and time with a zone, such as 2030-01-31T09:00:00Z"

export const aLimit = "Expected a whole number from 1 to 1000"

export const aText = "Expected a text without NUL characters and unpaired surrogates"

/** What creating a post changes. */
export const onePost = { post_targets: [1, 0], posts: [1, 0] } as const
