import { noFiles } from "../../src/platforms/MediaFiles.ts"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, DateTime, Effect, Exit, Fiber, Layer, Option, Record, Redacted, Ref, Stream } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { sendPost } from "../../src/platforms/carryOut.ts"
import { TargetId } from "../../src/domain/ids.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { AccountLinking, callbackPath } from "../../src/platforms/AccountLinking.ts"
import { platformClientLayer } from "../../src/platforms/layer.ts"
import { live } from "../../src/platforms/live.ts"
import { PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { sandboxAppPassword } from "../../src/platforms/bluesky/standIn/sessions.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { gif, mp4, png } from "../sandbox/sampleFiles.ts"
import { imageFacts } from "../support/database/mediaFixtures.ts"
import { platformHttpLayer } from "../support/http/platformHttpLayer.ts"
import { type Answer, hostileRelay, jsonAnswer, partsOf, replacePart } from "./hostileRelay.ts"
import { replyTo } from "./threads.ts"
import { baseUrl, start, storedAccount } from "./world.ts"

// Starts early: it takes minutes of a core.

/** X's timeline of an account, whose path has the account's id. */
const timeline = "/2/users/:id/tweets"

const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

/** Put in place of each part of an answer. */
const hostileParts: ReadonlyArray<unknown> = [
  null,
  true,
  -1,
  1e308,
  Number.MAX_SAFE_INTEGER,
  "",
  " ",
  "\0",
  "did:plc:\0evil",
  "1\0",
  "\ud800",
  "a\r\nx-evil: 1",
  "\u202eevil\u2066",
  "../../x?y#z",
  "9".repeat(400),
  "a".repeat(100_000),
  `https://${"a".repeat(5000)}.example`,
  [],
  {},
  [null],
  JSON.parse('{"__proto__":{"error":"x","message":"y"},"constructor":1,"toString":2,"length":-1}')
]

/** Sent in place of a whole answer. */
const hostileBodies: ReadonlyArray<readonly [name: string, body: Buffer]> = [
  ["nothing", Buffer.alloc(0)],
  ["NUL", Buffer.from("\0")],
  ["bytes that are no UTF-8", Buffer.from([0x22, 0xc3, 0x28, 0xff, 0x22])],
  ["half of an object", Buffer.from('{"data":{"id":"1')],
  ["deep nesting", Buffer.from(deep(300_000))],
  [
    "deep nesting in members",
    Buffer.from(`{"error":"${"x".repeat(9)}","didDoc":${deep(50_000)},"data":${deep(50_000)}}`)
  ],
  ["a string of 10 MB", Buffer.from(JSON.stringify("x".repeat(10_000_000)))],
  ["an error of 1 MB", Buffer.from(JSON.stringify({ error: "x ".repeat(500_000), detail: "y ".repeat(500_000) }))],
  [
    "an error with NUL and a lone surrogate",
    Buffer.from('{"error":"a\\u0000b","message":"\\ud800\\u202e","title":"\\u0000","detail":"\\udfff x"}')
  ],
  ["a number out of range", Buffer.from('{"data":{"id":1e999},"did":-1e999}')],
  ["a prototype", Buffer.from('{"__proto__":{"error":"x","message":"y","data":{"id":"1"}}}')],
  [
    "a list of errors that are none",
    Buffer.from('{"errors":[1,null,{"message":5,"code":"453"},"x"],"title":{},"type":[]}')
  ]
]

const statuses = [200, 201, 400, 403, 429, 503]

/** Text that the database and a page can take. */
const isStorable = (text: string) => !text.includes("\0") && text.isWellFormed() && text.length <= 60_000
const isPrintable = (text: string) =>
  isStorable(text) && text.length <= 800 && !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text)

const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (Redacted.isRedacted(value)) return textsIn(Redacted.value(value))
  if (Option.isOption(value)) return textsIn(Option.getOrNull(value))
  if (DateTime.isDateTime(value)) return [DateTime.formatIso(value)]
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => [name, ...textsIn(part)])
}

const files = { image: png, gif: gif(2000), video: mp4(4000) }
const fileOf = (type: keyof typeof files) => ({
  ...imageFacts,
  type,
  contentType: { image: "image/png", gif: "image/gif", video: "video/mp4" }[type],
  size: files[type].byteLength,
  hash: type,
  alt: "A cat"
})

const setup = Effect.gen(function* () {
  yield* TestClock.setTime(DateTime.toEpochMillis(start))
  const context = yield* Layer.build(Sandbox.layer({ limits: false }))
  const sandbox = Context.get(context, Sandbox)
  const relay = yield* hostileRelay(sandbox.apiUrls.twitter)
  const platforms = Record.map(sandbox.platforms(baseUrl), ({ webUrl }, platform) =>
    live[platform].connectStandIn(relay.url, webUrl)
  )
  const clients = Context.get(yield* Layer.build(platformClientLayer(platforms)), PlatformClient)
  const linking = Context.get(
    yield* Layer.build(
      AccountLinking.layer(platforms, baseUrl, "live").pipe(
        Layer.provide(Layer.merge(SecureRandom.layerWebCrypto, Digest.layerWebCrypto))
      )
    ),
    AccountLinking
  )
  let posts = 0

  /** An account of its own, so that nothing is left of an answer from before. */
  const open = Effect.fn(function* (platform: LivePlatform) {
    const { account, renewed, stored } = yield* storedAccount(yield* sandbox.connect(platform, `acme${posts}`))
    const access = {
      ...account,
      files: {
        ...noFiles,
        read: (hash: string) => Stream.make(Object.entries(files).find(([name]) => name === hash)?.[1] ?? png)
      }
    }
    const targetId = TargetId.make(`01a1fc17-0000-7000-8000-${String(posts++).padStart(12, "0")}`)
    const request = { targetId, text: `Post ${posts}`, settings: {} }
    return { account: access, adapter: clients[platform], renewed, request, stored }
  })

  const publishNow = Effect.fnUntraced(function* (platform: LivePlatform) {
    const { account, adapter, request } = yield* open(platform)
    return yield* sendPost(adapter, yield* adapter.prepare(request, account), account)
  })

  const publishRenewed = Effect.fnUntraced(function* (platform: LivePlatform) {
    const { account, adapter, renewed, request, stored } = yield* open(platform)
    yield* sandbox.endAccess(platform)
    const published = yield* Effect.result(
      Effect.flatMap(adapter.prepare(request, account), (prepared) => sendPost(adapter, prepared, account))
    )
    return [published, yield* Ref.get(renewed), yield* Ref.get(stored)]
  })

  /** Moves the test's clock on while nothing is asked. What waits for longer than a minute is given up. */
  const withTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(Effect.timeout(effect, "1 minute"))
      const turn = Effect.flatMap(relay.isBusy, (busy) => (busy ? Effect.void : TestClock.adjust(200)))
      const turning = yield* Effect.forkChild(Effect.forever(Effect.andThen(Effect.yieldNow, turn)))
      return yield* Effect.ensuring(Fiber.join(running), Fiber.interrupt(turning))
    })

  const uploadNow = Effect.fnUntraced(function* (platform: LivePlatform, type: keyof typeof files) {
    const { account, adapter } = yield* open(platform)
    const { upload } = adapter
    if (upload === undefined) return assert.fail("The platform takes no files")
    const run = Effect.gen(function* () {
      let progress = yield* upload([fileOf(type)], account, null)
      while (progress._tag === "Processing") {
        yield* Effect.sleep(progress.askAfter)
        progress = yield* upload([fileOf(type)], account, progress.begun)
      }
      return progress
    })
    return yield* withTime(run)
  })

  const withCredentials = Effect.fnUntraced(function* (platform: LivePlatform) {
    const { account } = yield* open(platform)
    const { accountId, serviceUrl } = account
    return { platform, accountId, serviceUrl, credentials: yield* account.credentials.current }
  })

  const linkBluesky = linking.logIn("bluesky", {
    identifier: "acme.sandbox.test",
    app_password: Redacted.make(sandboxAppPassword)
  })

  /** The calls of a platform, each with what makes it and returns all that would be stored of its answer. */
  const calls: ReadonlyArray<readonly [path: string, run: Effect.Effect<unknown, unknown>]> = [
    ["/2/tweets", publishNow("twitter")],
    ["/2/oauth2/token", publishRenewed("twitter")],
    [
      "/2/oauth2/token",
      Effect.gen(function* () {
        const { url, verifier } = yield* linking.begin("twitter")
        const challenge = new URL(url).searchParams.get("code_challenge") ?? ""
        const code = yield* sandbox.consent("twitter", {
          redirectUri: `${baseUrl}${callbackPath("twitter")}`,
          challenge
        })
        const { accounts } = yield* linking.finish("twitter", { code, verifier })
        return accounts
      })
    ],
    ["/2/oauth2/revoke", Effect.flatMap(withCredentials("twitter"), linking.revoke)],
    ["/2/users/me", Effect.flatMap(withCredentials("twitter"), linking.profile)],
    ["/initialize", uploadNow("twitter", "image")],
    ["/append", uploadNow("twitter", "image")],
    ["/finalize", uploadNow("twitter", "gif")],
    ["/2/media/upload", uploadNow("twitter", "gif")],
    ["/2/media/metadata", uploadNow("twitter", "image")],
    [
      timeline,
      Effect.gen(function* () {
        const { account, adapter, request } = yield* open("twitter")
        const prepared = yield* adapter.prepare(request, account)
        const posted = yield* adapter.prepare({ ...request, text: `See https://example.com/${posts}` }, account)
        const reply = yield* replyTo(yield* sendPost(adapter, posted, account))
        const part = yield* adapter.prepare({ ...request, reply }, account)
        const now = yield* DateTime.now
        const found = yield* Effect.result(adapter.reconcile(prepared, account, now))
        const foundPart = yield* Effect.result(adapter.find(part, account, now))
        return [found, foundPart, adapter.unmatched === undefined ? [] : yield* adapter.unmatched(account, start, now)]
      })
    ],
    ["com.atproto.repo.putRecord", publishNow("bluesky")],
    [
      "com.atproto.identity.resolveHandle",
      Effect.gen(function* () {
        const { account, adapter, request } = yield* open("bluesky")
        return yield* adapter.prepare({ ...request, text: `Hello @${account.username}` }, account)
      })
    ],
    ["com.atproto.repo.uploadBlob", uploadNow("bluesky", "image")],
    ["com.atproto.server.getServiceAuth", uploadNow("bluesky", "video")],
    ["app.bsky.video.uploadVideo", uploadNow("bluesky", "video")],
    ["app.bsky.video.getJobStatus", uploadNow("bluesky", "video")],
    ["com.atproto.server.refreshSession", publishRenewed("bluesky")],
    [
      "com.atproto.repo.getRecord",
      Effect.gen(function* () {
        const { account, adapter, request } = yield* open("bluesky")
        const prepared = yield* adapter.prepare(request, account)
        yield* sendPost(adapter, prepared, account)
        return yield* adapter.find(prepared, account, start)
      })
    ],
    [
      "com.atproto.repo.getRecord",
      Effect.gen(function* () {
        const { account, adapter, request } = yield* open("bluesky")
        const { platformPostId, url } = yield* sendPost(adapter, yield* adapter.prepare(request, account), account)
        const reply = yield* replyTo({ platformPostId, url })
        return yield* adapter.prepare({ ...request, part: 2, reply }, account)
      })
    ],
    [
      "com.atproto.sync.getRepoStatus",
      Effect.gen(function* () {
        const { account, adapter, request } = yield* open("bluesky")
        return yield* adapter.find(yield* adapter.prepare(request, account), account, start)
      })
    ],
    ["com.atproto.server.createSession", linkBluesky],
    ["app.bsky.actor.getProfile", linkBluesky],
    ["com.atproto.server.deleteSession", Effect.flatMap(withCredentials("bluesky"), linking.revoke)]
  ]

  return { calls, relay }
})

/** Members that the stand-ins leave out, and the platforms do not. */
const moreMembers: Readonly<Record<string, object>> = {
  "/2/users/me": { data: { profile_image_url: "https://pbs.twimg.com/a.png" } },
  "app.bsky.actor.getProfile": { avatar: "https://cdn.bsky.app/a" },
  [timeline]: { meta: { next_token: "abc" } },
  "com.atproto.server.createSession": {
    didDoc: { service: [{ id: "#atproto_pds", serviceEndpoint: "https://pds.example" }] }
  },
  "com.atproto.server.refreshSession": {
    didDoc: { service: [{ id: "#atproto_pds", serviceEndpoint: "https://pds.example" }] }
  }
}

const withMore = (call: string, value: unknown): unknown => {
  const more = moreMembers[call] ?? {}
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(more).map(([name, part]) => {
    const own = Object.entries(value).find(([key]) => key === name)?.[1]
    return [name, typeof own === "object" && own !== null && !Array.isArray(own) ? { ...own, ...part } : part]
  })
  return { ...value, ...Object.fromEntries(entries) }
}

interface Hostile {
  readonly name: string
  readonly answer: (usual: Answer) => Answer
  /** Whether the answer is a success of which only a part is hostile. */
  readonly isPart: boolean
}

/** By the first bodies alone. */
const otherStatuses = [302, 401, 409, 500]

const wholeAnswers: ReadonlyArray<Hostile> = [...statuses, ...otherStatuses].flatMap((status) =>
  (otherStatuses.includes(status) ? hostileBodies.slice(0, 3) : hostileBodies).map(([name, body]) => ({
    name: `${status} with ${name}`,
    answer: () => ({ status, body }),
    isPart: false
  }))
)

const partAnswers = (call: string, usual: Answer): ReadonlyArray<Hostile> => {
  const value: unknown = usual.body.byteLength === 0 ? {} : withMore(call, JSON.parse(usual.body.toString()))
  return partsOf(value).flatMap((path) =>
    hostileParts.map((part) => ({
      name: `${usual.status} with ${JSON.stringify(part)?.slice(0, 40)} at ${path.join(".")}`,
      answer: () => jsonAnswer(usual.status, replacePart(value, path, part)),
      isPart: true
    }))
  )
}

const sends = new Set(["/2/tweets", "com.atproto.repo.putRecord"])

const tagOf = (error: unknown) =>
  typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "none"

describe("Hostile answers", () => {
  it.effect(
    "Every answer to every call of both adapters ends typed, and nothing of it can spoil the database or a page",
    () =>
      Effect.gen(function* () {
        const { calls, relay } = yield* setup
        const faults: Array<string> = []
        let tried = 0
        for (const [call, run] of calls) {
          const isCall = (path: string) =>
            call === timeline ? /^\/2\/users\/\d+\/tweets$/.test(path) : path.endsWith(call)
          let usual: Answer | undefined
          yield* relay.during((path, answer) => {
            if (isCall(path)) usual ??= answer
            return answer
          }, Effect.exit(run))
          if (usual === undefined) return assert.fail(`Nothing called ${call}`)
          for (const { answer, isPart, name } of [...wholeAnswers, ...partAnswers(call, usual)]) {
            tried++
            const exit = yield* relay.during((path, given) => (isCall(path) ? answer(given) : given), Effect.exit(run))
            const where = `${call} answered ${name}`
            if (Exit.isFailure(exit) && exit.cause.reasons.some(Cause.isDieReason)) {
              faults.push(`${where}: defect ${String(Cause.squash(exit.cause)).slice(0, 150)}`)
              continue
            }
            const error: unknown = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
            const texts = textsIn(Exit.isSuccess(exit) ? exit.value : error)
            const spoiled = texts.find((text) => !isStorable(text))
            if (spoiled !== undefined) faults.push(`${where}: keeps ${JSON.stringify(spoiled.slice(0, 60))}`)
            if (error instanceof Error && !isPrintable(error.message)) {
              faults.push(`${where}: says ${JSON.stringify(error.message.slice(0, 120))}, ${error.message.length}`)
            }
            const succeeded = /^(2|3|5)/.test(name)
            if (sends.has(call) && succeeded && !(isPart && Exit.isSuccess(exit))) {
              const tag = Exit.isSuccess(exit) ? "success" : tagOf(error)
              if (tag !== "OutcomeUnknown" && tag !== "Overloaded") faults.push(`${where}: ends as ${tag}`)
            }
          }
        }
        assert.deepStrictEqual(faults.slice(0, 60), [], `${faults.length} of ${tried}`)
      }).pipe(Effect.provide(platformHttpLayer))
  )
})
