import { DateTime, Duration, Effect } from "effect"
import type { HttpClientRequest } from "effect/http"
import { threads as facts } from "../../../src/platforms/threads/facts.ts"
import { threads } from "../../../src/platforms/threads/live.ts"
import { encodeTokens } from "../../../src/platforms/threads/tokens.ts"
import { type Conformance, now, notSent, respond } from "../contract/conformance.ts"
import { statusFault } from "../world.ts"

const container = "17841400000000001"
const media = "18000000000000001"

const problem = (status: number, code: number, subcode?: number) =>
  respond(status, {
    error: { message: "No", type: "OAuthException", code, ...(subcode === undefined ? {} : { error_subcode: subcode }) }
  })

const state = (status: string, id = container) => respond(200, { id, status })

const formOf = ({ body }: HttpClientRequest.HttpClientRequest) =>
  new URLSearchParams(body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "")

const tokens = (accessToken: string) => encodeTokens({ accessToken, obtainedAt: DateTime.makeUnsafe(now) })

const replied = { platformPostId: "DAbCdEfGhIj", cid: media }

export const threadsConformance: Conformance = {
  facts,
  format: "Graph API",
  rules: threads.rules,
  adapterAt: (url, call) =>
    Effect.runSync(threads.connectStandIn(url, url).makeAdapter({ configured: call, guarded: call })),
  linkAt: (url) => threads.connectStandIn(url, url).makeLink("sandbox"),
  standIn: threads.standIn,
  storedAs: "threads",
  accountId: "26841400000000001",
  credentials: tokens("token"),
  renewed: [tokens("other token")],
  posts: {
    "a text": {},
    "a reply": { part: 2, reply: { root: replied, parent: replied, parentAt: now } },
    "a post that some may reply to": { settings: { threads: { reply_control: "followers_only", topic_tag: "tea" } } }
  },
  references: [],
  settlesAfter: Duration.minutes(5),
  asksImmediately: true,
  preparing: ({ method }) => (method === "POST" ? respond(200, { id: container }) : state("FINISHED")),
  answers: {
    // The container's state says so, too, without saying as what.
    published: [respond(200, { id: media }), state("PUBLISHED")],
    refused: [
      notSent,
      problem(400, 190, 463),
      problem(401, 190),
      problem(400, 4),
      problem(429, 17),
      problem(400, 9, 2207042),
      problem(400, 24, 4279009),
      problem(400, 24, 2207008),
      problem(400, 9007, 2207027)
    ],
    open: [
      // Posts were out although Threads answered with these.
      problem(500, 10),
      problem(400, 4, 2207051),
      problem(500, 2),
      problem(500, 190),
      problem(400, 100),
      problem(400, 10),
      respond(200, {}),
      respond(200, { success: true }),
      // States of the container after which it may still go out, or did not.
      state("FINISHED"),
      state("IN_PROGRESS"),
      state("EXPIRED"),
      state("ERROR"),
      // The state of another container.
      state("PUBLISHED", "17841400000000002")
    ],
    alike: [
      respond(401, { error: { message: "Invalid token", code: 190 } }),
      respond(400, { error: { message: "Limited", type: "OAuthException", code: "4" } }),
      respond(200, { id: 18 })
    ]
  },
  isPost: ({ method, url }) => method === "POST" && url.endsWith("/threads_publish"),
  textOf: (request) => formOf(request).get("text") ?? undefined,
  sendsLinks: "as written",
  mention: "@acme",
  refusedToken: statusFault(401)
}
