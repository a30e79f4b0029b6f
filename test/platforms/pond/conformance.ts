import { Effect } from "effect"
import { bodyOf, type Conformance, notSent, now, respond } from "../contract/conformance.ts"
import { encodeTokens } from "./api.ts"
import { pond as facts } from "./facts.ts"
import { pond as preview } from "./preview.ts"
import { pond } from "./live.ts"
import { statusFault } from "../world.ts"

const drop = (status: number, state: string, page: string | null = "/drops/1") =>
  respond(status, { drop: { key: "1", text: "Hello", state, page } })
const croak = (status: number, name: string) => respond(status, { croak: name, because: "No" })

export const pondConformance: Conformance = {
  facts,
  preview,
  rules: pond.rules,
  adapterAt: (url, call) =>
    Effect.runSync(pond.connectStandIn(url, url).makeAdapter({ configured: call, guarded: call })),
  linkAt: (url) => pond.connectStandIn(url, url).makeLink("sandbox"),
  standIn: pond.standIn,
  storedAs: "twitter",
  accountId: "frog",
  credentials: encodeTokens({ access: "token", refresh: "refresh" }),
  renewed: [encodeTokens({ access: "other", refresh: "refresh" })],
  posts: {
    "a text": {},
    "a post with pictures": { uploads: ["a"] },
    "a reply": {
      part: 2,
      reply: { root: { platformPostId: "1", cid: null }, parent: { platformPostId: "1", cid: null }, parentAt: now }
    }
  },
  references: [],
  preparing: () => respond(201, { net: { id: "a", ready: true } }),
  answers: {
    published: [drop(201, "shown"), drop(201, "shown", null)],
    accepted: [drop(202, "sinking"), drop(202, "sinking", null)],
    refused: [
      notSent,
      croak(400, "no_net"),
      croak(400, "too_long"),
      croak(401, "stale"),
      croak(401, "banned"),
      croak(409, "key_taken"),
      croak(429, "slow_down")
    ],
    overloaded: [croak(503, "full")],
    open: [croak(500, "splash"), respond(201, { drop: {} }), drop(202, "sunk"), drop(200, "shown")],
    alike: [respond(401, { croak: "stale" }), respond(400, { croak: "", because: "No" })]
  },
  isPost: ({ method, url }) => method === "POST" && url.endsWith("/drops"),
  textOf: (request) => bodyOf(request).text,
  sendsLinks: "as written",
  mention: "~frog",
  refusedToken: statusFault(401),
  addressFollows: "a reply"
}
