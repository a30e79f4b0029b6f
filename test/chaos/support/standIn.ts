import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Context, Effect, Layer, Option, Random, Redacted, Schedule, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { access, readFile } from "node:fs/promises"
import { LivePlatform } from "../../../src/domain/platform.ts"
import { memberOf, pageOf } from "../../../src/platforms/linkedin/standIn/accounts.ts"
import { linkedinStandIn } from "../../../src/platforms/linkedin/standIn/standIn.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import type { StandIn } from "../../../src/sandbox/StandIn.ts"
import type { CallKind, Fault, Faults } from "../../../src/sandbox/state/faults.ts"
import {
  makeFacebookWithTexts,
  makeInstagramWithTexts,
  makeThreadsWithTexts,
  makeTiktokWithTexts,
  textInJson,
  type TextOf
} from "../../support/platforms/sentTexts.ts"
import { reachable } from "./publicUrls.ts"
import type { InjectedFault, StandInMessage, StandInOptions, StandInSend } from "./standInProcess.ts"

const options: StandInOptions = JSON.parse(process.argv[2] ?? "{}")

const sendToParent = (message: StandInMessage) => Effect.sync(() => process.send?.(message))

const drawWhen = Effect.map(Random.nextBoolean, (isBefore) => (isBefore ? "before_commit" : "after_commit"))

/** Draws the fault of a request: one of five faults, each with the probability `rate`, or none. */
const drawFault = Effect.fnUntraced(function* (
  rate: number
): Effect.fn.Return<readonly [InjectedFault, Fault | undefined]> {
  const drawn = Math.floor((yield* Random.next) / rate)
  const when = yield* drawWhen
  const seconds = yield* Random.nextIntBetween(1, 3)
  switch (drawn) {
    case 0:
      return [`5xx ${when}`, { kind: "status", status: 503, when }]
    case 1:
      return ["429", { kind: "status", status: 429, reset_after: seconds, retry_after: seconds }]
    case 2:
      return ["reset before_commit", { kind: "reset", when: "before_commit" }]
    case 3:
      return ["reset after_commit", { kind: "reset", when: "after_commit" }]
    case 4:
      return [`hang ${when}`, { kind: "hang", when }]
    default:
      return ["nothing", undefined]
  }
})

/** Sometimes X or Threads can't find a post for a while when another post replies to it. */
const drawUnseen = Effect.fnUntraced(function* (platform: LivePlatform): Effect.fn.Return<Fault | undefined> {
  const { unseenRate = 0 } = options
  if (platform === "bluesky" || unseenRate === 0 || (yield* Random.next) >= unseenRate) return undefined
  return { kind: "unseen", ms: yield* Random.nextIntBetween(2_500, 9_000) }
})

/** The shortest time between two crashes, so that the service can recover and publish. */
const crashInterval = 4_000

let lastCrash = 0
const sentTexts = new Set<string>()

/** Crashes the database when X gets a post for the first time, and waits until the server has ended. */
const crashDatabase = Effect.fnUntraced(function* (platform: LivePlatform, text: string, lockFile: string) {
  const isRepeated = sentTexts.has(text)
  const now = yield* Clock.currentTimeMillis
  if (platform !== "twitter" || isRepeated || now - lastCrash < crashInterval) return false
  sentTexts.add(text)
  const pid = Number((yield* Effect.promise(() => readFile(lockFile, "utf8").catch(() => ""))).split("\n")[0])
  if (!(pid > 0)) return false
  lastCrash = now
  yield* Effect.sync(() => process.kill(pid, "SIGQUIT"))
  yield* Effect.repeat(
    Effect.promise(() =>
      access(lockFile).then(
        () => true,
        () => false
      )
    ),
    { until: (isThere) => !isThere, schedule: Schedule.spaced("5 millis") }
  )
  return true
})

/** Pages, whose posts can be looked for after an unknown outcome, and members, whose posts nobody can read. */
const pagesAndMembers: StandIn = {
  ...linkedinStandIn,
  account: (seed) => (Number(seed.split(" ").at(-1)) % 2 === 0 ? pageOf(seed) : memberOf(seed))
}

/** Fetches files from the replicas themselves. */
const withinReach = (standIn: StandIn): StandIn => ({
  ...standIn,
  endpoints: (memory) =>
    standIn.endpoints(memory).map(({ fetches, respond, ...endpoint }) => ({
      ...endpoint,
      respond: (request, state) => respond({ ...request, body: reachable(request.body) }, state),
      ...(fetches === undefined ? {} : { fetches: (body: string) => fetches(reachable(body)) })
    }))
})

const threads = makeThreadsWithTexts()
const instagram = makeInstagramWithTexts()
const facebook = makeFacebookWithTexts()
const tiktok = makeTiktokWithTexts()

const withTexts: Partial<Record<LivePlatform, TextOf>> = {
  threads: threads.textOf,
  instagram: instagram.textOf,
  facebook: facebook.textOf,
  tiktok: tiktok.textOf
}

const serverRequest = Effect.map(Effect.context(), (context) =>
  Option.getOrThrow(Context.getOption(context, HttpServerRequest.HttpServerRequest))
)

const currentRequest = Effect.gen(function* () {
  const request = yield* serverRequest
  const { pathname } = new URL(request.url, "http://stand-in")
  return { body: yield* Effect.orDie(request.text), path: decodeURIComponent(pathname) }
})

/** The text that the current request would post. */
const currentText = (platform: LivePlatform) => Effect.map(currentRequest, withTexts[platform] ?? textInJson)

/** The refresh token of the current request; undefined without one. */
const currentRefreshToken = Effect.map(
  currentRequest,
  ({ body }) => new URLSearchParams(body).get("refresh_token") ?? undefined
)

const isOnMeta = (platform: LivePlatform): boolean => afterPublication[platform] !== undefined

/** Meta's errors with which posts were out. */
const afterPublication: Partial<Record<LivePlatform, ReadonlyArray<Extract<Fault, { readonly kind: "status" }>>>> = {
  threads: [{ kind: "status", status: 500, error: "no permission", when: "after_commit" }],
  instagram: [
    { kind: "status", status: 400, error: "restricted", when: "after_commit" },
    { kind: "status", status: 500, error: "unknown error", when: "after_commit" }
  ],
  facebook: [{ kind: "status", status: 500, error: "unknown error", when: "after_commit" }]
}

/** Meta reports an error in its own format although it has published the post, or does not find it yet. */
const drawMetaFault = Effect.fnUntraced(function* (
  platform: LivePlatform
): Effect.fn.Return<readonly [InjectedFault, Fault] | undefined> {
  const errors = afterPublication[platform] ?? []
  const drawn = (yield* Random.next) / Math.max(options.faultRate, Number.MIN_VALUE)
  const error = errors[yield* Random.nextIntBetween(0, Math.max(errors.length, 1))]
  if (error === undefined) return undefined
  if (drawn < 1) return ["error after_commit", error]
  return drawn < 3 ? ["whims", { kind: "whims" }] : undefined
})

/**
 * Threads and Instagram process a container for longer, fail to process it, don't find a new one, can't fetch a file, or
 * list posts late. Facebook does not find a post, or lists posts late.
 */
const drawOddity = Effect.fnUntraced(function* (
  platform: LivePlatform,
  call: CallKind
): Effect.fn.Return<Fault | undefined> {
  if (!isOnMeta(platform) || options.faultRate === 0) return undefined
  const drawn = yield* Random.next
  const ms = yield* Random.nextIntBetween(2_000, 15_000)
  if (call === "timeline") {
    if (drawn < 0.2) return { kind: "lag", ms }
    return platform === "facebook" && drawn < 0.4 ? { kind: "whims" } : undefined
  }
  if (platform === "facebook") return undefined
  if (drawn < 0.1) return { kind: "processing", ms }
  if (drawn < 0.13) return { kind: "processing", error: "UNKNOWN" }
  return drawn < 0.4 ? { kind: "whims" } : undefined
})

const StoredTokens = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json))
const decodeTokens = Schema.decodeSync(StoredTokens)

/** Replaces the access token with one that X refuses. */
const withEndedAccess = (credentials: string) => JSON.stringify({ ...decodeTokens(credentials), accessToken: "ended" })

const standIn = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const sends: Array<StandInSend> = []
  const refreshTokens: Array<string> = []
  const uploads: Array<string> = []
  const take: Faults["take"] = (platform, call) => {
    if (call === "publish" || call === "reply") {
      return Effect.gen(function* () {
        const text = yield* currentText(platform)
        if (options.crashing !== undefined && (yield* crashDatabase(platform, text, options.crashing))) {
          sends.push({ platform, text, fault: "crash after_commit", at: yield* Clock.currentTimeMillis })
          return undefined
        }
        const [name, fault] = (yield* drawMetaFault(platform)) ?? (yield* drawFault(options.faultRate))
        sends.push({ platform, text, fault: name, at: yield* Clock.currentTimeMillis })
        return fault ?? (yield* drawUnseen(platform))
      })
    }
    if (platform === "twitter" && call === "session") {
      return Effect.map(currentRefreshToken, (token) => {
        if (token !== undefined) refreshTokens.push(token)
        const { renewalDelay = 0 } = options
        return renewalDelay === 0 ? undefined : { kind: "delay", ms: renewalDelay }
      })
    }
    if (call === "timeline") return drawOddity(platform, call)
    if (call !== "upload") return Effect.undefined
    return Effect.gen(function* () {
      const { method, url } = yield* serverRequest
      uploads.push(`${method} ${new URL(url, "http://stand-in").pathname}`)
      // A file needs several upload requests.
      const [, fault] = yield* drawFault(options.faultRate / 4)
      const { uploadDelay = 0 } = options
      if (fault === undefined && uploadDelay > 0) return { kind: "delay", ms: uploadDelay }
      return fault ?? (yield* drawOddity(platform, call))
    })
  }
  // The sandbox calls this for each request. This version draws the fault from the seed, and records each send.
  Object.assign(sandbox.faults, { take })

  const accounts = yield* Effect.forEach(
    Array.from({ length: options.workspaces }, (_, number) => `workspace ${number + 1}`),
    (seed) =>
      Effect.forEach(LivePlatform.literals, (platform) =>
        Effect.map(sandbox.connect(platform, seed), ({ credentials, ...account }) => ({
          platform,
          ...account,
          credentials:
            platform === "twitter" && options.accessEnded === true
              ? withEndedAccess(Redacted.value(credentials))
              : Redacted.value(credentials)
        }))
      )
  )
  const report = Effect.flatMap(sandbox.posts, (posts) =>
    sendToParent({
      _tag: "Report",
      sends,
      refreshTokens,
      uploads,
      posts: posts.map(({ accountId, at, id, media = [], platform, record, reply = null, text }) => ({
        platform,
        accountId,
        id,
        text,
        files: media.length,
        container: isOnMeta(platform) ? (record?.cid ?? null) : null,
        at,
        reply
      }))
    })
  )
  const run = Effect.runForkWith(yield* Effect.context())
  process.on("message", () => run(report))
  yield* sendToParent({ _tag: "Ready", url: sandbox.apiUrls.twitter, accounts })
  return yield* Effect.callback<void>((resume) => void process.once("disconnect", () => resume(Effect.void)))
})

NodeRuntime.runMain(
  standIn.pipe(
    Effect.provide(
      Layer.fresh(
        Sandbox.layer({
          limits: false,
          configured: {
            linkedin: { standIn: pagesAndMembers },
            threads: { standIn: withinReach(threads.standIn) },
            instagram: { standIn: withinReach(instagram.standIn) },
            facebook: { standIn: facebook.standIn },
            tiktok: { standIn: tiktok.standIn }
          }
        })
      )
    ),
    Random.withSeed(options.seed),
    Effect.scoped
  )
)
