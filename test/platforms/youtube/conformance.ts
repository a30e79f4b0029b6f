import { Duration, Effect } from "effect"
import { youtube as facts } from "../../../src/platforms/youtube/facts.ts"
import { youtube } from "../../../src/platforms/youtube/live.ts"
import { youtube as preview } from "../../../src/platforms/youtube/preview.ts"
import { youtubePosts } from "../../../src/platforms/youtube/standIn/posts.ts"
import { makeVideos } from "../../../src/platforms/youtube/standIn/videos.ts"
import { makeKey } from "../../../src/platforms/youtube/syntax.ts"
import { encodeTokens, requestedScopes } from "../../../src/platforms/youtube/tokens.ts"
import { bodyOf, type Conformance, notSent, respond } from "../contract/conformance.ts"
import { statusFault } from "../world.ts"

const channel = youtube.standIn.account("team").id
const video = "dQx5mQ1tZ0a"
const key = makeKey("01a1fc17-0000-7000-8000-00000000000a")
const uploadsOf = (part: number) => ({
  _tag: "YoutubeUploads",
  version: 1,
  accountId: channel,
  video: part === 1 ? video : `dQx5mQ1tZ0${part}`,
  key
})

/** Videos that are uploaded and processed already. */
const seeded = () => {
  const videos = makeVideos()
  for (const part of [1, 2]) {
    videos.put({
      id: uploadsOf(part).video,
      channel,
      session: `session ${part}`,
      size: 0,
      parts: [],
      uploadedAt: 0,
      processing: {},
      snippet: { title: key },
      status: { privacyStatus: "private" },
      publishedAt: undefined
    })
  }
  return videos
}

const scope = requestedScopes.join(" ")

export const title = "A talk"

const problem = (status: number, reason: string, code = status) =>
  respond(status, { error: { code, message: "No", errors: [{ message: "No", domain: "youtube.video", reason }] } })

interface State {
  readonly title?: string
  readonly privacyStatus?: string
  readonly uploadStatus?: string
}

const resource = (
  { privacyStatus = "public", title: shown = title, uploadStatus = "processed" }: State,
  id = video
) => ({
  kind: "youtube#video",
  id,
  snippet: { title: shown },
  status: { uploadStatus, privacyStatus }
})

const list = (...items: ReadonlyArray<object>) => respond(200, { kind: "youtube#videoListResponse", items })

const hidden = list(resource({ title: key, privacyStatus: "private" }))

export const youtubeConformance: Conformance = {
  facts,
  preview,
  rules: youtube.rules,
  adapterAt: (url, call) =>
    Effect.runSync(youtube.connectStandIn(url, url).makeAdapter({ configured: call, guarded: call })),
  linkAt: (url) => youtube.connectStandIn(url, url).makeLink("sandbox"),
  standIn: { ...youtube.standIn, endpoints: (memory) => youtubePosts(memory, seeded()) },
  storedAs: "youtube",
  accountId: channel,
  credentials: encodeTokens({ accessToken: "token", refreshToken: "refresh", scope }),
  renewed: [encodeTokens({ accessToken: "other token", refreshToken: "refresh", scope })],
  always: {
    settings: { youtube: { title } },
    uploads: uploadsOf(1)
  },
  uploadsOf,
  posts: { "a video": {} },
  references: [],
  settlesAfter: Duration.minutes(5),
  asksImmediately: true,
  preparing: () => hidden,
  answers: {
    published: [respond(200, resource({})), list(resource({})), list(resource({ title: "Another title" }))],
    refused: [
      notSent,
      problem(400, "invalidTitle"),
      problem(400, "invalidDescription"),
      problem(401, "authError"),
      problem(401, "youtubeSignupRequired"),
      problem(403, "quotaExceeded"),
      problem(403, "insufficientPermissions"),
      problem(403, "forbidden"),
      problem(404, "videoNotFound"),
      problem(429, "rateLimitExceeded")
    ],
    open: [
      problem(500, "internalError"),
      problem(503, "backendError"),
      problem(409, "conflict"),
      respond(200, {}),
      respond(204, ""),
      hidden,
      list(),
      list(resource({ uploadStatus: "rejected" })),
      list(resource({ title: "Another title", privacyStatus: "private" })),
      // YouTube took the title, and keeps the video to itself, or its owner has hidden it.
      respond(200, resource({ privacyStatus: "private" })),
      list(resource({ privacyStatus: "private" })),
      // Other videos.
      respond(200, resource({}, "dQx5mQ1tZ0b")),
      list(resource({}, "dQx5mQ1tZ0b")),
      list(resource({}), resource({}, "dQx5mQ1tZ0b"))
    ],
    alike: [
      respond(401, { error: { code: 401, message: "Invalid token", status: "UNAUTHENTICATED" } }),
      problem(403, "quotaExceeded", 40),
      respond(200, { kind: "youtube#video", id: video })
    ]
  },
  isPost: ({ method, url }) => method === "PUT" && url.endsWith("/youtube/v3/videos"),
  textOf: (request) => bodyOf(request)?.snippet?.description,
  sendsLinks: "as written",
  mention: "@acme",
  refusedToken: statusFault(401),
  repeats: {
    identity: (request) => [request.url, bodyOf(request)],
    goesOn: () => false
  }
}
