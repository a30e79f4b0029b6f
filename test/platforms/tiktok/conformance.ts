import { Duration, Effect } from "effect"
import { encodeTokens, requestedScopes } from "../../../src/platforms/tiktok/tokens.ts"
import { tiktok as facts } from "../../../src/platforms/tiktok/facts.ts"
import { tiktok as preview } from "../../../src/platforms/tiktok/preview.ts"
import { tiktok } from "../../../src/platforms/tiktok/live.ts"
import { makeTiktokStandIn } from "../../../src/platforms/tiktok/standIn/standIn.ts"
import { bodyOf, type Conformance, notSent, respond } from "../contract/conformance.ts"
import { statusFault } from "../world.ts"

const logId = "20291131120000"
export const answer = (data: object, code = "ok", status = 200) =>
  respond(status, { data, error: { code, message: code === "ok" ? "" : "No", log_id: logId } })
export const refuse = (status: number, code: string) => answer({}, code, status)

const size = 2_000
const state = (status: string, more: object = {}) => answer({ status, uploaded_bytes: size, ...more })
/** A post's id, which no number of JavaScript has. */
const ids = (list: string) =>
  respond(
    200,
    `{"data":{"status":"PUBLISH_COMPLETE","uploaded_bytes":${size},"publicaly_available_post_id":${list}},` +
      `"error":{"code":"ok","message":"","log_id":"${logId}"}}`
  )

const url = "https://platform.test"

export const creator = {
  creator_username: "team",
  creator_nickname: "Team",
  privacy_level_options: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
  comment_disabled: false,
  duet_disabled: false,
  stitch_disabled: false,
  max_video_post_duration_sec: 600
}

export const video = { hash: "video", contentType: "video/mp4", size, durationMs: 9_000 }

const token = (accessToken: string) => encodeTokens({ accessToken, refreshToken: "refresh", scopes: requestedScopes })

export const tiktokConformance: Conformance = {
  facts,
  preview,
  rules: tiktok.rules,
  adapterAt: (at, call) =>
    Effect.runSync(tiktok.connectStandIn(at, at).makeAdapter({ configured: call, guarded: call })),
  linkAt: (at) => tiktok.connectStandIn(at, at).makeLink("sandbox"),
  // Videos are processed and named immediately, because the suite asks for them immediately.
  standIn: makeTiktokStandIn({ processing: 0, naming: 0 }),
  storedAs: "tiktok",
  accountId: "-000abc",
  credentials: token("token"),
  renewed: [token("other token")],
  always: { uploads: { video }, settings: { tiktok: { privacy_level: "PUBLIC_TO_EVERYONE" } } },
  posts: {
    "a public video": {},
    "a video for friends": { settings: { tiktok: { privacy_level: "MUTUAL_FOLLOW_FRIENDS", allow_comment: true } } }
  },
  references: [],
  settlesAfter: Duration.minutes(5),
  asksImmediately: true,
  preparing: ({ url: asked }) =>
    asked.endsWith("/creator_info/query/")
      ? answer(creator)
      : answer({ publish_id: "v_pub_file~v2-1.7", upload_url: `${url}/tiktok/upload/7` }),
  answers: {
    published: [state("PUBLISH_COMPLETE"), ids("[7412345678901234567]")],
    accepted: [state("PROCESSING_UPLOAD"), state("PROCESSING_DOWNLOAD")],
    refused: [notSent],
    handedOver: [state("SEND_TO_USER_INBOX")],
    open: [
      // The address of an upload answers without a format, whatever the answer means.
      respond(201, ""),
      respond(206, ""),
      respond(403, ""),
      respond(404, ""),
      respond(416, "", { "content-range": `bytes 0-0/${size}` }),
      state("PROCESSING_UPLOAD", { uploaded_bytes: 0 }),
      state("FAILED", { fail_reason: "internal" }),
      refuse(400, "invalid_publish_id"),
      refuse(401, "access_token_invalid"),
      refuse(200, "access_token_invalid"),
      refuse(401, "scope_not_authorized"),
      refuse(429, "rate_limit_exceeded"),
      refuse(500, "internal_error")
    ],
    alike: [
      respond(401, { error: { code: "access_token_invalid", message: "No" } }),
      respond(200, { data: { status: "PUBLISH_COMPLETE" } }),
      respond(200, { data: { status: "PUBLISH_COMPLETE" }, error: { code: "ok" } }),
      respond(201, "<h1>Created</h1>")
    ]
  },
  isPost: ({ method }) => method === "PUT",
  textOf: (request) => bodyOf(request)?.post_info?.title,
  sendsLinks: "as written",
  mention: "@acme",
  refusedToken: statusFault(401),
  // The request that publishes has no token. The question before it has one.
  asksWithToken: "timeline",
  repeats: {
    identity: ({ headers, url: asked }) => [asked, headers["content-range"]],
    goesOn: () => false
  }
}
