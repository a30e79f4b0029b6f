import { Context, type Duration, Effect, Layer, Option, Redacted } from "effect"
import { type HttpRouter, HttpServer } from "effect/http"
import { formatApiKey, type KeyHolder, Scope } from "../../../src/domain/people/apiKey.ts"
import { ApiKeyId, WorkspaceId } from "../../../src/domain/ids.ts"
import type { KeyGate } from "../../../src/http/KeyGate.ts"
import type { ConnectionLimits } from "../../../src/http/node/connectionRegistry.ts"
import { AccountLinking } from "../../../src/platforms/AccountLinking.ts"
import { ChannelTests } from "../../../src/chat/ChannelTests.ts"
import { MediaLibrary } from "../../../src/media/MediaLibrary.ts"
import { MediaStore } from "../../../src/media/store/MediaStore.ts"
import { Notifier } from "../../../src/notifier/Notifier.ts"
import { Outlook } from "../../../src/outlook/Outlook.ts"
import { makeRateLimitCounts, RateLimits } from "../../../src/repo/rateLimit/counts.ts"
import type { Repo } from "../../../src/repo/Repo.ts"
import { type ExpectedCalls, fakeRepo } from "../database/fakeRepo.ts"
import { Readiness, type ReadinessCheck } from "../../../src/http/operations/health.ts"
import { serverLayer } from "../../../src/http/server.ts"
import type { TlsFiles } from "../../../src/http/node/tls.ts"

/** The test servers' public URL, with which `Location` begins. */
export const baseUrl = "https://posts.example"

export const apiKey = formatApiKey("A".repeat(32))

export const holder: KeyHolder = {
  keyId: ApiKeyId.make("01a1fc17-0000-7000-8000-000000000001"),
  workspaceId: WorkspaceId.make("01a1fc17-0000-7000-8000-000000000002"),
  scopes: Scope.literals,
  requiresApproval: false,
  predecessors: []
}

/** A fake Repo that finds `apiKey` with the changed `holder`, and expects the given calls. */
export const repoWithKey = (calls: ExpectedCalls = {}, changes: Partial<KeyHolder> = {}) => {
  const findKnown = (key: string) =>
    Effect.succeed(key === apiKey ? Option.some({ ...holder, ...changes }) : Option.none())
  return fakeRepo({ apiKeys: { find: (key) => findKnown(Redacted.value(key)), findKnown }, ...calls })
}

type Announcement = Parameters<Notifier["Service"]["approvalRequested"]>

export const recordingNotifier = (announced: Array<Announcement> = []) =>
  Layer.mock(Notifier, { approvalRequested: (...announcement) => Effect.sync(() => void announced.push(announcement)) })

const ready: ReadonlyArray<ReadinessCheck> = [{ name: "database", ok: true, detail: "answers" }]

export interface TestServerOptions {
  readonly repo?: Layer.Layer<Repo>
  readonly notifier?: Layer.Layer<Notifier>
  readonly readiness?: ReadonlyArray<ReadinessCheck>
  /** A free port by default. */
  readonly port?: number
  /** Routes in addition to the service's. */
  readonly others?: Layer.Layer<never, never, HttpRouter.HttpRouter | KeyGate>
  /** The service's public URL. */
  readonly servedAt?: string
  readonly rateLimitPerMinute?: number
  readonly trustProxy?: "on" | "off"
  readonly drainTime?: Duration.Input
  readonly tls?: TlsFiles
  readonly limits?: ConnectionLimits
  /** By default all methods die. */
  readonly media?: Layer.Layer<MediaLibrary | MediaStore>
  /** By default all methods but `revoke` die. */
  readonly accountLinking?: Layer.Layer<AccountLinking>
  /** By default every channel takes a test. */
  readonly channelTests?: Layer.Layer<ChannelTests>
}

/** Platforms on which no access is left to revoke. */
const noPlatforms = Layer.mock(AccountLinking, { revoke: () => Effect.void })

const willingChannels = Layer.mock(ChannelTests, {
  send: () => Effect.succeed({ delivered: true, answer: "Slack answered 200" })
})

const noMedia = Layer.merge(Layer.mock(MediaLibrary, { quota: 0 }), Layer.mock(MediaStore, {}))

const memoryLimits = Layer.effect(
  RateLimits,
  Effect.map(makeRateLimitCounts, ({ limits }) => limits)
)

/** Starts a server that stops with the scope. */
export const startServer = Effect.fn("startServer")(function* ({
  repo = repoWithKey(),
  notifier = recordingNotifier(),
  readiness = ready,
  others = Layer.empty,
  port = 0,
  servedAt = baseUrl,
  rateLimitPerMinute = 300,
  trustProxy = "off",
  drainTime,
  tls,
  limits = { maxConnections: 1000, maxConnectionsPerAddress: 1000 },
  media = noMedia,
  accountLinking = noPlatforms,
  channelTests = willingChannels
}: TestServerOptions = {}) {
  const draining = drainTime === undefined ? {} : { drainTime }
  const listening = { host: "127.0.0.1", port, tls: Option.fromUndefinedOr(tls), ...limits }
  const context = yield* Layer.build(
    serverLayer(
      { ...listening, baseUrl: servedAt, rateLimitPerMinute, trustProxy, platforms: "sandbox", ...draining },
      others
    ).pipe(
      Layer.provide(Outlook.layer),
      Layer.provide([
        repo,
        notifier,
        memoryLimits,
        media,
        accountLinking,
        channelTests,
        Layer.succeed(Readiness, { check: Effect.succeed(readiness) })
      ])
    )
  )
  return yield* HttpServer.addressFormattedWith((url) => Effect.succeed(url)).pipe(Effect.provide(context))
})

/** The address of a server that several tests share. */
export class ServerUrl extends Context.Service<ServerUrl, string>()("test/ServerUrl") {
  static readonly layer = (options?: TestServerOptions) => Layer.effect(ServerUrl, startServer(options))
}
