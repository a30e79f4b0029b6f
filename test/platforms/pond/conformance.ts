import { bodyOf, type Conformance, notSent, now, respond } from "../contract/conformance.ts"
import { makePondAdapter } from "./adapter.ts"
import { encodeTokens } from "./api.ts"
import { pond } from "./facts.ts"
import { makePondLink } from "./link.ts"
import { pondRules } from "./rules.ts"
import { pondStandIn } from "./standIn.ts"
import { statusFault } from "../world.ts"

const croak = (status: number, name: string) => respond(status, { croak: name, because: "No" })

export const pondConformance: Conformance = {
  facts: pond,
  rules: pondRules,
  adapterAt: (url, call) => makePondAdapter(pondStandIn.config(url, url), call),
  linkAt: (url) => makePondLink(pondStandIn.config(url, url)),
  standIn: pondStandIn,
  storedAs: "twitter",
  accountId: "frog",
  credentials: encodeTokens({ access: "token", refresh: "refresh" }),
  renewed: [encodeTokens({ access: "other", refresh: "refresh" })],
  posts: {
    "a text": {},
    "a post with pictures": { uploads: [{ hash: "a", contentType: "image/png", size: 4, processed: false }] },
    "a reply": {
      part: 2,
      reply: { root: { platformPostId: "1", cid: null }, parent: { platformPostId: "1", cid: null }, parentAt: now }
    }
  },
  references: [["a"], ["b"]],
  answers: {
    published: [respond(201, { drop: { key: "1", text: "Hello" } })],
    refused: [
      notSent,
      croak(400, "no_picture"),
      croak(400, "too_long"),
      croak(401, "stale"),
      croak(401, "banned"),
      croak(409, "key_taken"),
      croak(429, "slow_down")
    ],
    overloaded: [croak(503, "full")],
    open: [croak(500, "splash"), respond(201, { drop: {} })],
    alike: [respond(401, { croak: "stale" }), respond(400, { croak: "", because: "No" })]
  },
  isPost: ({ method, url }) => method === "POST" && url.endsWith("/drops"),
  textOf: (request) => bodyOf(request).text,
  sendsLinks: "as written",
  mention: "~frog",
  refusedToken: statusFault(401)
}
