import { Effect } from "effect"
import { fromLittleText } from "../../../src/platforms/linkedin/rules/littleText.ts"
import { encodeAccess } from "../../../src/platforms/linkedin/credentials.ts"
import { linkedin as facts } from "../../../src/platforms/linkedin/facts.ts"
import { linkedin as preview } from "../../../src/platforms/linkedin/preview.ts"
import { linkedin } from "../../../src/platforms/linkedin/live.ts"
import { pageOf } from "../../../src/platforms/linkedin/standIn/accounts.ts"
import { linkedinStandIn } from "../../../src/platforms/linkedin/standIn/standIn.ts"
import { bodyOf, type Conformance, notSent, now, respond } from "../contract/conformance.ts"
import { statusFault } from "../world.ts"

const error = (status: number, code: string, message = code, more: object = {}) =>
  respond(status, { status, code, message, ...more })

const member = "urn:li:person:abc123"
const page = "urn:li:organization:2414183"

const image = "urn:li:image:C4E10AQ"
const uploads = (accountId: string, ...urns: ReadonlyArray<string>) => ({
  uploads: { _tag: "LinkedinUploads", version: 1, accountId, media: urns.map((urn) => ({ urn, alt: "" })) }
})

const card = {
  url: "https://example.com/release",
  title: "Our release",
  description: "",
  thumb: { hash: "a", content_type: "image/png", size: 4 }
} as const

const credentials = encodeAccess({ accessToken: "token", grantedAt: now })

const conformanceOf = (accountId: string): Conformance => ({
  facts,
  preview,
  rules: linkedin.rules,
  adapterAt: (url, call) =>
    Effect.runSync(linkedin.connectStandIn(url, url).makeAdapter({ configured: call, guarded: call })),
  linkAt: (url) => linkedin.connectStandIn(url, url).makeLink("sandbox"),
  standIn: linkedin.standIn,
  storedAs: "linkedin",
  accountId,
  credentials,
  renewed: [],
  posts: {
    "a text": {},
    "a post with an image": uploads(accountId, image),
    "a post with images": uploads(accountId, image, "urn:li:image:D4E10AQ"),
    "a post with a card": { text: "https://example.com/release", card }
  },
  outlines: 3,
  references: [["urn:li:image:E4E10AQ"]],
  answers: {
    published: [respond(201, "", { "x-restli-id": "urn:li:share:7" }), respond(201, "", { "x-li-uuid": "AAY" })],
    refused: [
      notSent,
      error(400, "MISSING_FIELD"),
      error(400, "VERSION_MISSING"),
      error(400, "MEDIA_ASSET_PROCESSING_FAILED"),
      error(401, "EXPIRED_ACCESS_TOKEN", "Expired", { serviceErrorCode: 65_602 }),
      error(403, "ACCESS_DENIED"),
      error(422, "DUPLICATE_POST", "Content is a duplicate of urn:li:share:7"),
      error(426, "NONEXISTENT_VERSION"),
      error(429, "TOO_MANY_REQUESTS")
    ],
    open: [error(409, "CONFLICT"), error(500, "INTERNAL_SERVER_ERROR"), error(503, "SERVICE_UNAVAILABLE")],
    alike: [
      respond(403, { status: 403, message: "Forbidden" }),
      respond(403, { status: "403", code: "ACCESS_DENIED", message: "Forbidden" }),
      respond(429, { code: "TOO_MANY_REQUESTS", message: "Slow down" }),
      respond(201, ""),
      respond(201, "<h1>Welcome</h1>")
    ]
  },
  isPost: ({ method, url }) => method === "POST" && url.endsWith("/rest/posts"),
  textOf: (request) => fromLittleText(bodyOf(request).commentary),
  sendsLinks: "as written",
  mention: "@[Acme](urn:li:organization:1)",
  refusedToken: statusFault(401)
})

/** A member's posts can't be read, so no look tells anything. */
export const linkedinConformance: Conformance = { ...conformanceOf(member), looks: false }

/** Pages are connected through an application of their own, and their posts can be read. */
export const linkedinPageConformance: Conformance = {
  ...conformanceOf(page),
  standIn: { ...linkedinStandIn, account: pageOf },
  linkAt: (url) => {
    const link = linkedin.connectStandIn(url, url).makeLink("sandbox")
    return link.kind === "consent"
      ? {
          ...link,
          finish: (grant) => link.finish({ ...grant, consent: "pages" })
        }
      : link
  }
}
