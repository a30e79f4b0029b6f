import { Duration, Effect, Struct } from "effect"
import type { HttpClientRequest } from "effect/http"
import { encodeAccess } from "../../../src/platforms/facebook/credentials.ts"
import { facebook as facts } from "../../../src/platforms/facebook/facts.ts"
import { facebook as preview } from "../../../src/platforms/facebook/preview.ts"
import { facebook } from "../../../src/platforms/facebook/live.ts"
import { type Conformance, notSent, respond } from "../contract/conformance.ts"
import { statusFault } from "../world.ts"

const page = "104512345678900"
const post = `${page}_122100000000001`
const video = "132100000000001"

export const problem = (status: number, code: number, subcode?: number) =>
  respond(status, {
    error: { message: "No", type: "OAuthException", code, ...(subcode === undefined ? {} : { error_subcode: subcode }) }
  })

const state = (isPublished: boolean, id = post) => respond(200, { id, is_published: isPublished })

export const formOf = ({ body }: Pick<HttpClientRequest.HttpClientRequest, "body">) =>
  new URLSearchParams(body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "")

const uploads = (more: { readonly photos: ReadonlyArray<string>; readonly video?: string }) => ({
  uploads: { _tag: "FacebookUploads", version: 1, accountId: page, ...more }
})

const isPost = (request: HttpClientRequest.HttpClientRequest) => {
  const form = formOf(request)
  const isReel = form.get("upload_phase") === "finish" && form.has("video_state")
  return request.method === "POST" && (isReel || [form.get("is_published"), form.get("published")].includes("true"))
}

/** Facebook's own refusals, which prove that nothing was published. */
const refused = [
  notSent,
  problem(400, 190, 460),
  problem(401, 190),
  problem(400, 102),
  problem(400, 4),
  problem(400, 32),
  problem(429, 17),
  problem(400, 368),
  problem(400, 506),
  problem(400, 1, 1366051),
  problem(400, 10),
  problem(403, 200),
  problem(400, 6000),
  problem(400, 100, 33)
]

export const facebookConformance: Conformance = {
  facts,
  preview,
  format: "Meta's Graph API",
  rules: facebook.rules,
  adapterAt: (url, call) =>
    Effect.runSync(facebook.connectStandIn(url, url).makeAdapter({ configured: call, guarded: call })),
  linkAt: (url) => facebook.connectStandIn(url, url).makeLink("sandbox"),
  standIn: facebook.standIn,
  storedAs: "facebook",
  accountId: page,
  credentials: encodeAccess({ accessToken: "token" }),
  renewed: [encodeAccess({ accessToken: "other token" })],
  posts: {
    "a text": {},
    "a text with a link": { text: "Read https://example.com/release" },
    "a post with photos": uploads({ photos: ["122100000000002", "122100000000003"] })
  },
  references: [],
  settlesAfter: Duration.minutes(5),
  asksImmediately: true,
  preparing: ({ method }) => (method === "POST" ? respond(200, { id: post }) : respond(404, "")),
  answers: {
    published: [respond(200, { success: true }), state(true)],
    refused,
    open: [
      // Posts were out although Facebook answered with these.
      problem(500, 2),
      problem(500, 190),
      problem(503, 1),
      problem(400, 1),
      problem(400, 4, 2207051),
      problem(400, 100),
      respond(200, { success: false }),
      respond(200, {}),
      state(false),
      // The state of another post.
      state(true, `${page}_122100000000009`)
    ],
    alike: [
      respond(401, { error: { message: "Invalid token", code: 190 } }),
      respond(400, { error: { message: "Limited", type: "OAuthException", code: "4" } }),
      respond(200, { success: "true" })
    ]
  },
  isPost,
  textOf: (request) => formOf(request).get("message") ?? formOf(request).get("description") ?? undefined,
  sendsLinks: "as written",
  refusedToken: statusFault(401),
  repeats: {
    identity: (request) => [request.url, formOf(request).toString()],
    goesOn: () => false
  }
}

const reel = (status: object) => respond(200, { id: video, status })

const uploaded = { status: "complete" }

/** A reel's request is never repeated, and Facebook acknowledges it before it processes the video. */
export const reelConformance: Conformance = {
  ...Struct.omit(facebookConformance, ["repeats"]),
  posts: { "a reel": uploads({ photos: [], video }) },
  preparing: () => respond(404, ""),
  answers: {
    ...facebookConformance.answers,
    accepted: [respond(200, { success: true })],
    published: [
      reel({
        video_status: "ready",
        uploading_phase: uploaded,
        processing_phase: uploaded,
        publishing_phase: { status: "complete", publish_status: "published" }
      })
    ],
    // Fewer than those of posts, because all conversations are followed.
    refused: [notSent, problem(400, 190, 460), problem(400, 32), problem(400, 506), problem(400, 6000)],
    open: [
      problem(500, 2),
      problem(400, 100),
      respond(200, { success: false }),
      reel({ video_status: "upload_complete", uploading_phase: uploaded }),
      reel({ video_status: "processing", uploading_phase: uploaded, processing_phase: { status: "in_progress" } }),
      reel({ video_status: "error", processing_phase: { status: "error", error: { message: "Bad codec" } } }),
      reel({ publishing_phase: { status: "complete", publish_status: "draft" } })
    ]
  }
}

const pageVideo = "142100000000001"

const videoState = (published: boolean, id = pageVideo) =>
  respond(200, { id, published, status: { video_status: "ready" } })

/** A video that is no reel is published in two phases, like a text. */
export const pageVideoConformance: Conformance = {
  ...facebookConformance,
  posts: {
    "a video of a Page": { uploads: { _tag: "FacebookVideo", version: 1, accountId: page, pageVideo } }
  },
  preparing: ({ url }) => respond(200, url.endsWith("/feed") ? { id: post } : { success: true }),
  answers: {
    ...facebookConformance.answers,
    published: [respond(200, { success: true }), videoState(true)],
    // Fewer than those of posts, because all conversations are followed.
    refused: [notSent, problem(400, 190, 460), problem(400, 32), problem(400, 506), problem(400, 100, 33)],
    open: [
      problem(500, 2),
      problem(400, 100),
      respond(200, { success: false }),
      // The state of a post.
      state(true),
      videoState(false),
      // The state of another video.
      videoState(true, "142100000000009"),
      reel({ video_status: "ready", publishing_phase: { status: "complete", publish_status: "published" } })
    ]
  }
}
