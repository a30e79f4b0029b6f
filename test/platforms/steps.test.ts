import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted, Result } from "effect"
import { Headers, type HttpClientRequest } from "effect/http"
import { IntegrationId, TargetId } from "../../src/domain/ids.ts"
import { type Publication, Unavailable } from "../../src/domain/publishing/platformError.ts"
import { makeBlueskyAdapter } from "../../src/platforms/bluesky/adapter.ts"
import { encodeSession } from "../../src/platforms/bluesky/session.ts"
import { type Answer, type Call, NoResponse } from "../../src/platforms/call.ts"
import { noFiles } from "../../src/platforms/MediaFiles.ts"
import type {
  Account,
  PlatformAdapter,
  PublishRequest,
  SendFailure,
  Uploads
} from "../../src/platforms/PlatformClient.ts"
import type { OpenAccess, Step } from "../../src/platforms/steps.ts"
import { makeTwitterAdapter } from "../../src/platforms/twitter/adapter.ts"
import { encodeTokens } from "../../src/platforms/twitter/tokens.ts"

const now = DateTime.makeUnsafe("2030-01-31T12:00:00Z")
const did = "did:plc:team"

const unexpected: Call = () => Effect.die("A step is carried out")
const calls = { configured: unexpected, guarded: unexpected }
const adapters = {
  twitter: makeTwitterAdapter(
    { apiUrl: "https://x.test", webUrl: "https://x.test", clientId: "client", clientSecret: null },
    unexpected
  ),
  bluesky: makeBlueskyAdapter({ defaultServiceUrl: "https://pds.test", webUrl: "https://bsky.test" }, calls)
}

const session = { accessJwt: "token", refreshJwt: "other token", pdsUrl: null }
const tokens = { accessToken: "token", refreshToken: null }
const credentials = { twitter: encodeTokens(tokens), bluesky: encodeSession(session) }

const account: Account = {
  integrationId: IntegrationId.make("01a1fc17-0000-7000-8000-000000000003"),
  accountId: did,
  username: "team",
  serviceUrl: null,
  credentials: { current: Effect.succeed(credentials.twitter), refresh: () => Effect.die("Unexpected renewal") },
  files: noFiles,
  others: { published: () => Effect.succeed(new Set()), unresolved: () => Effect.succeed([]) }
}
const accessTo = (platform: "twitter" | "bluesky", stored = credentials[platform]): OpenAccess => ({
  accountId: did,
  username: "team",
  serviceUrl: null,
  credentials: stored
})

const cid = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
const otherCid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"
const blob = { $type: "blob", ref: { $link: cid }, mimeType: "image/png", size: 4 }
const aspectRatio = { width: 1, height: 1 }
const fileOf = (processed: boolean) => ({ hash: "a", contentType: "image/png", size: 4, blob, processed })
const blueskyUploads = (embed: object, processed: boolean): Uploads => ({
  accountId: did,
  embed: JSON.parse(JSON.stringify(embed)),
  files: [JSON.parse(JSON.stringify(fileOf(processed)))]
})

/** The posts of each platform, each with what makes its send different. */
const posts: Readonly<Record<"twitter" | "bluesky", Readonly<Record<string, Partial<PublishRequest>>>>> = {
  twitter: {
    "a text": {},
    "a post with files": {
      uploads: { accountId: did, media: [{ id: "7", key: "3_7" }], expiresAt: "2030-02-01T12:00:00.000Z" }
    },
    "a reply": {
      part: 2,
      reply: {
        root: { platformPostId: "1", cid: null },
        parent: { platformPostId: "1", cid: null },
        parentAt: now
      }
    }
  },
  bluesky: {
    "a text": {},
    "a post with images": {
      uploads: blueskyUploads(
        { $type: "app.bsky.embed.images", images: [{ alt: "", image: blob, aspectRatio }] },
        false
      )
    },
    "a post with a video": {
      uploads: blueskyUploads({ $type: "app.bsky.embed.video", video: blob, aspectRatio }, true)
    },
    "a post with a card": {
      card: {
        url: "https://a.test",
        title: "A",
        description: "",
        thumb: { hash: "0".repeat(64), content_type: "image/png", size: 4 }
      }
    }
  }
}

const respond = (status: number, body: unknown): Answer =>
  Result.succeed({
    status,
    headers: Headers.empty,
    body: body === null ? null : typeof body === "string" ? body : JSON.stringify(body)
  })
const problem = (status: number, detail: string) =>
  respond(status, { title: "No", type: "about:blank", detail, status })
const xrpc = (status: number, error: string) => respond(status, { error, message: "No" })

/** Answers that leave open whether the request was carried out, whoever gave them. */
const open: ReadonlyArray<Answer> = [
  Result.fail(new NoResponse({ message: "Lost", maybeSent: true })),
  respond(500, ""),
  respond(403, "<h1>Forbidden</h1>"),
  respond(401, "<h1>Log in</h1>"),
  respond(429, null),
  respond(200, "{}")
]
/** Answers that prove that the request was not carried out. */
const notSent: Answer = Result.fail(new NoResponse({ message: "No connection", maybeSent: false }))
const refusals = {
  twitter: [
    notSent,
    problem(400, "One or more media_ids are invalid"),
    problem(401, "Unauthorized"),
    problem(402, "No credits"),
    problem(403, "You are not allowed to create a Tweet with duplicate content."),
    problem(403, "You attempted to reply to a Tweet that is deleted or not visible to you."),
    problem(403, "This user is suspended"),
    problem(429, "Too Many Requests")
  ],
  bluesky: [
    notSent,
    xrpc(400, "ExpiredToken"),
    xrpc(400, "BlobNotFound"),
    xrpc(400, "InvalidRequest"),
    xrpc(400, "AccountDeactivated"),
    xrpc(400, "RecordNotFound"),
    xrpc(401, "AuthenticationRequired"),
    xrpc(429, "RateLimitExceeded")
  ]
} satisfies Record<string, ReadonlyArray<Answer>>
/** The answer to a look for a record, whose key another one has. */
const otherRecord = respond(200, { cid, value: { text: "Other" } })

/** Answers of the platform that say, or may say, that the post is there. */
const published = {
  twitter: [respond(201, { data: { id: "7" } }), problem(503, "Overloaded"), problem(500, "Broken")],
  bluesky: [
    respond(200, { uri: `at://${did}/app.bsky.feed.post/7`, cid }),
    xrpc(400, "InvalidSwap"),
    respond(200, { cid, value: { text: "Hello" } }),
    otherRecord,
    xrpc(500, "InternalServerError"),
    xrpc(502, "UpstreamFailure")
  ]
} satisfies Record<string, ReadonlyArray<Answer>>

interface Post {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly answer: Answer
}

interface Walk {
  readonly posts: ReadonlyArray<Post>
  readonly last: Answer | undefined
  readonly depth: number
}

type End = Result.Result<Publication, SendFailure>

/** Follows every conversation that can come of a first step, and returns how many there are. */
const walk = (
  platform: "twitter" | "bluesky",
  step: Step<Publication, SendFailure>,
  check: {
    readonly post: (walk: Walk, request: Post["request"]) => void
    /** Whether an earlier request may have shown the post. */
    readonly mayBeOut: (walk: Walk) => boolean
    readonly end: (walk: Walk, end: End) => void
  },
  at: Walk = { posts: [], last: undefined, depth: 0 }
): number => {
  assert.isBelow(at.depth, 12, "A conversation does not end")
  const deeper = { ...at, depth: at.depth + 1 }
  const follow = (next: Step<Publication, SendFailure>, come: Walk = deeper) => walk(platform, next, check, come)
  const renewed = (stored?: Redacted.Redacted) => accessTo(platform, stored)
  if (step._tag !== "End") {
    assert.strictEqual(step.mayBeOut === true, check.mayBeOut(at), "A step does not say what may be out")
  }
  switch (step._tag) {
    case "End":
      check.end(at, step.result)
      return 1
    case "Renew":
      return [
        renewed(),
        ...(platform === "bluesky" ? [renewed(encodeSession({ ...session, pdsUrl: "https://moved.test" }))] : [])
      ].reduce((sum, access) => sum + follow(step.next(access)), 0)
    case "Files": {
      const failed = Result.fail(new Unavailable({ message: "Not now" }))
      return [Result.succeed([cid]), Result.succeed([otherCid]), failed].reduce(
        (sum, came) => sum + follow(step.next(came, renewed())),
        0
      )
    }
    case "Request": {
      if (step.shows === "post") check.post(at, step.request)
      return [...open, ...refusals[platform], ...published[platform]].reduce((sum, answer) => {
        const next = step.next(answer, now)
        assert.deepStrictEqual(JSON.stringify(step.next(answer, now)), JSON.stringify(next), "A step is not pure")
        const shown = step.shows === "post" ? [...at.posts, { request: step.request, answer }] : at.posts
        return sum + follow(next, { ...deeper, posts: shown, last: answer })
      }, 0)
    }
  }
}

const errorOf = (answer: Answer): string =>
  Result.match(answer, {
    onFailure: () => "",
    onSuccess: ({ body }) => /"error":"(\w+)"/.exec(body ?? "")?.[1] ?? ""
  })

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest) =>
  body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(body.body)) : undefined

const prepared = (platform: "twitter" | "bluesky", more: Partial<PublishRequest>) =>
  adapters[platform].prepare(
    { targetId: TargetId.make("01a1fc17-0000-7000-8000-0000000a1b2c"), text: "Hello", settings: {}, ...more },
    account
  )

const cases = (platform: "twitter" | "bluesky") =>
  Object.entries(posts[platform]).map(([name, more]) => [name, more] as const)

const isUnknown = (error: SendFailure) => error._tag === "OutcomeUnknown" || error._tag === "Overloaded"

describe("The steps of a send to X", () => {
  it.effect.each(cases("twitter"))("of %s never send again what may be out, and say so", ([, more]) =>
    Effect.gen(function* () {
      const step = adapters.twitter.send(yield* prepared("twitter", more), accessTo("twitter"), now)
      const count = walk("twitter", step, {
        post: ({ posts: sent }) => {
          // X refused the access token, and so the request.
          for (const { answer } of sent) assert.deepStrictEqual(answer, refusals.twitter[2])
        },
        mayBeOut: () => false,
        end: ({ posts: sent }, result) => {
          const isProven = sent.every(({ answer }) => refusals.twitter.includes(answer))
          if (Result.isSuccess(result)) assert.strictEqual(sent.at(-1)?.answer, published.twitter[0])
          else assert.strictEqual(isUnknown(result.failure), !isProven, result.failure.message)
        }
      })
      assert.isAbove(count, 15)
    })
  )
})

/** Refusals of the record of a put itself, so that it is not there. */
const judged = new Set(["BlobNotFound", "InvalidRequest", "RecordNotFound"])

describe("The steps of a send to Bluesky", () => {
  it.effect.each(cases("bluesky"))("of %s repeat nothing but the same record, and say what may be out", ([, more]) =>
    Effect.gen(function* () {
      const step = adapters.bluesky.send(yield* prepared("bluesky", more), accessTo("bluesky"), now)
      const isVideo = JSON.stringify(more).includes("embed.video")
      const withoutPicture = (request: Post["request"]) => {
        const { record, ...key } = bodyOf(request)
        return { ...key, record: { ...record, embed: undefined } }
      }
      const count = walk("bluesky", step, {
        post: ({ posts: sent }, request) => {
          for (const before of sent) {
            assert.deepStrictEqual(withoutPicture(request), withoutPicture(before.request))
            assert.strictEqual(bodyOf(request).swapRecord, null)
            const isRefused = refusals.bluesky.includes(before.answer)
            const is500 = Result.isSuccess(before.answer) && before.answer.success.status === 500
            assert.isTrue(isRefused || (isVideo && is500), "What may be out is sent again")
          }
        },
        mayBeOut: ({ posts: sent }) =>
          sent.some(
            ({ answer }) =>
              // The key of the post is taken, perhaps by the post itself.
              errorOf(answer) === "InvalidSwap" ||
              (isVideo && Result.isSuccess(answer) && answer.success.status === 500)
          ),
        end: ({ last, posts: sent }, result) => {
          if (Result.isSuccess(result)) return
          const { failure } = result
          const isProven =
            sent.every(({ answer }) => refusals.bluesky.includes(answer)) ||
            judged.has(errorOf(sent.at(-1)?.answer ?? notSent)) ||
            // The key holds another record.
            (errorOf(sent.at(-1)?.answer ?? notSent) === "InvalidSwap" && last === otherRecord)
          if (!isProven) assert.isTrue(isUnknown(failure), `${failure._tag}: ${failure.message}`)
        }
      })
      assert.isAbove(count, 15)
    })
  )

  it("A send goes to the PDS of the session, over the guarded connection if others chose its address", () => {
    const through = (changes: object) => {
      const step = adapters.bluesky.send(post, accessTo("bluesky", encodeSession({ ...session, ...changes })), now)
      return step._tag === "Request" ? [step.through, new URL(step.request.url).origin] : step._tag
    }
    const post = Effect.runSync(prepared("bluesky", {}))
    assert.deepStrictEqual(through({}), ["configured", "https://pds.test"])
    assert.deepStrictEqual(through({ guarded: true }), ["guarded", "https://pds.test"])
    assert.deepStrictEqual(through({ pdsUrl: "https://other.test" }), ["guarded", "https://other.test"])
  })
})

describe("The first step of a send", () => {
  const ends = (platform: "twitter" | "bluesky", post: Parameters<PlatformAdapter["send"]>[0], access: OpenAccess) => {
    const step = adapters[platform].send(post, access, now)
    return step._tag === "End" && Result.isFailure(step.result) ? step.result.failure._tag : step._tag
  }

  it.effect.each(["twitter", "bluesky"] as const)(
    "sends nothing that was prepared for another account, that can't be read, or without access: %s",
    (platform) =>
      Effect.gen(function* () {
        const post = yield* prepared(platform, {})
        const access = accessTo(platform)
        assert.strictEqual(ends(platform, post, access), "Request")
        assert.strictEqual(ends(platform, post, { ...access, accountId: "did:plc:other" }), "Rejected")
        assert.strictEqual(ends(platform, {}, access), "Rejected")
        const unreadable = accessTo(platform, Redacted.make("{}"))
        assert.strictEqual(ends(platform, post, unreadable), "NeedsReauthorization")
      })
  )

  it.effect("X gets no post whose uploads have run out", () =>
    Effect.gen(function* () {
      const post = yield* prepared("twitter", posts.twitter["a post with files"] ?? {})
      const later = DateTime.add(now, { hours: 24 })
      const step = adapters.twitter.send(post, accessTo("twitter"), later)
      assert.strictEqual(
        step._tag === "End" && Result.isFailure(step.result) && step.result.failure._tag,
        "UploadsGone"
      )
    })
  )
})
