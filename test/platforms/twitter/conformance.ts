import { Redacted } from "effect"
import { makeTwitterAdapter } from "../../../src/platforms/twitter/adapter.ts"
import { twitter } from "../../../src/platforms/twitter/facts.ts"
import { twitter as preview } from "../../../src/platforms/twitter/preview.ts"
import { makeTwitterLink } from "../../../src/platforms/twitter/link.ts"
import { twitterRules } from "../../../src/platforms/twitter/rules/rules.ts"
import { makeTwitterStandIn } from "../../../src/platforms/twitter/standIn/standIn.ts"
import { sandboxApplication } from "../../../src/platforms/twitter/standIn/tokenEndpoint.ts"
import { encodeTokens } from "../../../src/platforms/twitter/tokens.ts"
import { bodyOf, type Conformance, now, notSent, respond } from "../contract/conformance.ts"
import { statusFault } from "../world.ts"

const problem = (status: number, detail: string, more: object = {}) =>
  respond(status, { title: "No", type: "about:blank", detail, status, ...more })

const overloaded = problem(503, "Overloaded")

const configAt = (url: string) => ({
  apiUrl: url,
  webUrl: url,
  clientId: sandboxApplication.clientId,
  clientSecret: Redacted.make(sandboxApplication.clientSecret)
})

export const twitterConformance: Conformance = {
  facts: twitter,
  preview,
  rules: twitterRules("enterprise"),
  adapterAt: (url, call) => makeTwitterAdapter(configAt(url), call),
  linkAt: (url) => makeTwitterLink(configAt(url)),
  standIn: makeTwitterStandIn("self-serve"),
  storedAs: "twitter",
  accountId: "42",
  credentials: encodeTokens({ accessToken: "token", refreshToken: null }),
  renewed: [encodeTokens({ accessToken: "other token", refreshToken: null })],
  posts: {
    "a text": {},
    "a post with files": {
      uploads: { accountId: "42", media: [{ id: "7", key: "3_7" }], expiresAt: "2030-02-01T12:00:00.000Z" }
    },
    "a reply": {
      part: 2,
      reply: {
        root: { platformPostId: "1", cid: null },
        parent: { platformPostId: "1", cid: null },
        parentAt: now
      }
    },
    "a post that some may reply to": { settings: { twitter: { who_can_reply: "following" } } }
  },
  outlines: 3,
  references: [["7"]],
  answers: {
    published: [respond(201, { data: { id: "7" } })],
    refused: [
      notSent,
      problem(400, "One or more media_ids are invalid"),
      problem(401, "Unauthorized"),
      problem(402, "No credits"),
      problem(403, "You are not allowed to create a Tweet with duplicate content."),
      problem(403, "You attempted to reply to a Tweet that is deleted or not visible to you."),
      problem(403, "You may not reply", { type: "https://api.x.com/2/problems/not-authorized-for-resource" }),
      problem(403, "This user is suspended"),
      problem(403, "No access", { type: "https://api.x.com/2/problems/client-forbidden" }),
      respond(403, { errors: [{ code: 187, message: "Status is a duplicate" }] }),
      problem(429, "Too Many Requests")
    ],
    overloaded: [overloaded],
    open: [
      problem(500, "Broken"),
      problem(500, "No credits", { type: "https://api.x.com/2/problems/credits" }),
      problem(408, "Timeout"),
      problem(302, "Elsewhere"),
      respond(200, { data: {} })
    ],
    alike: [
      respond(400, { detail: "One or more media_ids are invalid" }),
      respond(403, { success: false, errors: [{ code: 10_000, message: "This user is suspended" }] }),
      problem(403, "You are not allowed to create a Tweet with duplicate content.", { instance: "/2/tweets" }),
      problem(503, "Overloaded", { instance: "/2/tweets" })
    ]
  },
  isPost: ({ method, url }) => method === "POST" && url.endsWith("/2/tweets"),
  textOf: (request) => bodyOf(request).text,
  sendsLinks: "as written",
  mention: "@acme",
  refusedToken: statusFault(401)
}
