import { assert } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { makeBlueskyAdapter } from "../../../src/platforms/bluesky/adapter.ts"
import { bluesky } from "../../../src/platforms/bluesky/facts.ts"
import { bluesky as preview } from "../../../src/platforms/bluesky/preview.ts"
import { makeBlueskyLink } from "../../../src/platforms/bluesky/link.ts"
import { blueskyRules } from "../../../src/platforms/bluesky/rules/rules.ts"
import { encodeSession } from "../../../src/platforms/bluesky/session.ts"
import { blueskyStandIn } from "../../../src/platforms/bluesky/standIn/standIn.ts"
import type { Uploads } from "../../../src/platforms/PlatformClient.ts"
import { bodyOf, type Conformance, notSent, respond } from "../contract/conformance.ts"
import { statusFault } from "../world.ts"

const did = "did:plc:team"
const session = { accessJwt: "token", refreshJwt: "other token", pdsUrl: null }

const cid = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
const otherCid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"
const blob = { $type: "blob", ref: { $link: cid }, mimeType: "image/png", size: 4 }
const aspectRatio = { width: 1, height: 1 }
const uploadsOf = (embed: Uploads, processed: boolean): Uploads => ({
  accountId: did,
  embed,
  files: [{ hash: "a", contentType: "image/png", size: 4, blob, processed }]
})

const xrpc = (status: number, error: string) => respond(status, { error, message: "No" })

/** Refusals of the record itself. */
const judged = [xrpc(400, "BlobNotFound"), xrpc(400, "InvalidRequest"), xrpc(400, "RecordNotFound")]

const configAt = (url: string) => ({ defaultServiceUrl: url, webUrl: url, videoUrl: url })

export const blueskyConformance: Conformance = {
  facts: bluesky,
  preview,
  rules: blueskyRules,
  adapterAt: (url, call) => makeBlueskyAdapter(configAt(url), { configured: call, guarded: call }),
  linkAt: (url) => makeBlueskyLink(configAt(url), "sandbox"),
  form: { identifier: "team.sandbox.test", app_password: Redacted.make("sandbox-app-password") },
  standIn: blueskyStandIn,
  storedAs: "bluesky",
  accountId: did,
  credentials: encodeSession(session),
  renewed: [encodeSession(session), encodeSession({ ...session, pdsUrl: "https://moved.test" })],
  posts: {
    "a text": {},
    "a post with images": {
      uploads: uploadsOf({ $type: "app.bsky.embed.images", images: [{ alt: "", image: blob, aspectRatio }] }, false)
    },
    "a post with a video": { uploads: uploadsOf({ $type: "app.bsky.embed.video", video: blob, aspectRatio }, true) },
    "a post with a card": {
      card: {
        url: "https://a.test",
        title: "A",
        description: "",
        thumb: { hash: "0".repeat(64), content_type: "image/png", size: 4 }
      }
    }
  },
  outlines: 4,
  references: [[cid], [otherCid]],
  answers: {
    published: [
      respond(200, { uri: `at://${did}/app.bsky.feed.post/7`, cid }),
      // The record that holds the key.
      respond(200, { cid, value: { text: "Hello" } })
    ],
    refused: [
      notSent,
      xrpc(400, "ExpiredToken"),
      xrpc(400, "AccountDeactivated"),
      xrpc(401, "AuthenticationRequired"),
      xrpc(429, "RateLimitExceeded"),
      ...judged
    ],
    judged,
    taken: [xrpc(400, "InvalidSwap")],
    open: [
      xrpc(500, "InternalServerError"),
      xrpc(502, "UpstreamFailure"),
      respond(200, {}),
      respond(200, { cid, value: { text: "Other" } })
    ],
    alike: [
      respond(401, { error: "unauthorized" }),
      respond(401, { error: "Unauthorized", message: "Log in" }),
      respond(403, { status: 403, error: "Forbidden", path: "/xrpc/com.atproto.repo.putRecord" }),
      respond(429, { statusCode: 429, error: "TooManyRequests", message: "Slow down" }),
      respond(400, { statusCode: 400, error: "BlobNotFound", message: "No" })
    ]
  },
  isPost: ({ url }) => url.endsWith("/xrpc/com.atproto.repo.putRecord"),
  textOf: (request) => bodyOf(request).record.text,
  sendsLinks: "as shown",
  mention: "@acme.dev",
  refusedToken: statusFault(400, { error: "ExpiredToken" }),
  repeats: {
    identity: (request) => {
      const body = bodyOf(request)
      assert.isNull(body.swapRecord, "A put may replace a record")
      // A card goes without its picture if the picture can't be uploaded.
      delete body.record.embed?.external?.thumb
      return body
    },
    // A PDS that has dropped a video answers a put with a 500.
    goesOn: (kind, answer) =>
      kind === "a post with a video" && Result.isSuccess(answer) && answer.success.status === 500
  }
}
