import { createServer } from "node:http"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { HttpRouter, HttpServer, type HttpServerError } from "effect/http"
import type { ConnectedAccount } from "../domain/accounts/integration.ts"
import type { TwitterAccess } from "../domain/posts/text/twitterAccess.ts"
import type { LivePlatform } from "../domain/platform.ts"
import { encodeSession } from "../platforms/bluesky/session.ts"
import type { PlatformsConfig } from "../platforms/config.ts"
import { encodeTokens, requestedScope } from "../platforms/twitter/tokens.ts"
import { platformsAt, writeAddress } from "./address.ts"
import { makeBlobs } from "../platforms/bluesky/standIn/blobs.ts"
import { pdsErrorFormat } from "../platforms/bluesky/standIn/responses.ts"
import { pdsSessions } from "../platforms/bluesky/standIn/sessions.ts"
import { pdsStandIn } from "../platforms/bluesky/standIn/repository.ts"
import { videoService } from "../platforms/bluesky/standIn/videos.ts"
import { makeFiles, type SandboxFile } from "./media/files.ts"
import type { StandIn } from "./standInRoute.ts"
import { deriveAccount } from "./state/accounts.ts"
import { DemoWorkspace, SandboxAccount, type SandboxPost } from "./state/entry.ts"
import { type Faults, makeFaults } from "./state/faults.ts"
import { fileJournal, memoryJournal } from "./state/journal.ts"
import type { State } from "./state/state.ts"
import { makeStore } from "./state/store.ts"
import { makeTokens } from "./state/tokens.ts"
import { twitterMedia } from "../platforms/twitter/standIn/mediaEndpoints.ts"
import { twitterErrorFormat } from "../platforms/twitter/standIn/responses.ts"
import { twitterStandIn } from "../platforms/twitter/standIn/posts.ts"
import {
  type ConsentRequest,
  type PendingCode,
  twitterTokenEndpoint
} from "../platforms/twitter/standIn/tokenEndpoint.ts"
import { makeUploads } from "../platforms/twitter/standIn/uploads.ts"

export interface SandboxOptions {
  /** The directory that keeps the state across restarts. Without it, everything is kept in memory only. */
  readonly directory?: string
  /** Whether accounts have the platforms' rate limits (100 posts in 15 minutes on X). True by default. */
  readonly limits?: boolean
  /** What X lets the application post; `self-serve` by default. */
  readonly twitterAccess?: TwitterAccess
}

/** The most bytes of media of both platforms that are kept in memory. */
const maxMediaBytes = 256 * 1024 * 1024

const limits = { posts: 100, points: 5000 }
/** How long an authorization code is valid, in milliseconds. */
const codeLifetime = 10 * 60_000
/** The seed of the account that gives consent on the sandbox's page. */
const visitor = "visitor"

const deletedExamples = (state: State) =>
  state
    .posts()
    .filter(({ example }) => example === true)
    .map(({ accountId, id, platform }) => ({ _tag: "Deleted" as const, platform, accountId, id }))

const make = Effect.fnUntraced(function* (options: SandboxOptions) {
  const random = yield* SecureRandom.SecureRandom
  const scope = yield* Effect.scope
  const store = yield* makeStore(
    options.directory === undefined ? memoryJournal : yield* fileJournal(options.directory)
  )
  const tokens = makeTokens(store, random)
  const faults = yield* makeFaults
  const codes = new Map<string, PendingCode>()
  const files = makeFiles(maxMediaBytes)
  const uploads = makeUploads(files)
  const blobs = makeBlobs(files)
  const limit = (usual: number) => (options.limits === false ? Number.MAX_SAFE_INTEGER : usual)

  const register = (platform: LivePlatform, seed: string) => {
    const account = deriveAccount(platform, seed)
    return store.transact((state) => ({
      entries: state.account(platform, account.id) === undefined ? [account] : [],
      result: account
    }))
  }

  const x: StandIn = { platform: "twitter", faults, scope, errorFormat: twitterErrorFormat }
  const pds: StandIn = { platform: "bluesky", faults, scope, errorFormat: pdsErrorFormat }
  const routes = HttpRouter.addAll([
    ...twitterStandIn(x, store, uploads, { postsPerWindow: limit(limits.posts), access: options.twitterAccess }),
    ...twitterMedia(x, store, uploads, options.limits !== false),
    ...twitterTokenEndpoint(x, tokens, codes),
    ...pdsStandIn(pds, store, blobs, limit(limits.points)),
    ...videoService(pds, store, blobs, random),
    ...pdsSessions(pds, store, tokens, (name) => register("bluesky", name))
  ])
  const server = yield* NodeHttpServer.make(createServer, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 })
  yield* server.serve(yield* HttpRouter.toHttpEffect(routes))
  const url = HttpServer.formatAddress(server.address)
  if (options.directory !== undefined) yield* writeAddress(options.directory, url)

  const connect = Effect.fn("Sandbox.connect")(function* (platform: LivePlatform, workspaceSeed: string) {
    const account = yield* register(platform, workspaceSeed)
    const { access, refresh } = yield* tokens.issue(account)
    return {
      accountId: account.id,
      username: account.username,
      displayName: account.displayName,
      avatarUrl: null,
      // The sandbox has another port after each start, so its accounts store no service URL.
      serviceUrl: null,
      credentials:
        platform === "twitter"
          ? encodeTokens({ accessToken: access, refreshToken: refresh, scope: requestedScope })
          : encodeSession({ accessJwt: access, refreshJwt: refresh, pdsUrl: null })
    } satisfies ConnectedAccount
  })

  const consent = Effect.fn("Sandbox.consent")(function* (request: ConsentRequest) {
    const account = yield* register("twitter", visitor)
    const code = Base64Url.encode(yield* random.randomBytes(24))
    yield* store.read((_, now) => codes.set(code, { ...request, account, until: now + codeLifetime }))
    return code
  })

  return Sandbox.of({
    apiUrls: { twitter: url, bluesky: url },
    platforms: (baseUrl) => platformsAt(url, baseUrl),
    connect,
    consent,
    posts: store.read((state) => state.posts().toReversed()),
    accepted: store.read((state) => ({ twitter: state.accepted("twitter"), bluesky: state.accepted("bluesky") })),
    file: (id) => Effect.sync(() => files.get(id)),
    demo: store.read((state) => state.demo()),
    recordDemo: (demo, examples) =>
      store.transact((state) => ({
        entries: [...deletedExamples(state), ...examples, DemoWorkspace.make(demo)],
        result: undefined
      })),
    forgetExamples: (demo) =>
      store.transact((state) => ({
        entries: state.demo() === demo ? [...deletedExamples(state), DemoWorkspace.make({ ...demo, postIds: [] })] : [],
        result: undefined
      })),
    putFile: (id, file) => Effect.sync(() => files.put(id, file)),
    faults,
    endAccess: (platform) =>
      store.transact(() => ({ entries: [{ _tag: "AccessEnded", platform }], result: undefined })),
    changeAccount: (platform, id, change) =>
      store.transact((state) => {
        const account = state.account(platform, id)
        return {
          entries: account === undefined ? [] : [SandboxAccount.make({ ...account, ...change })],
          result: undefined
        }
      }),
    deletePost: ({ accountId, id, platform }) =>
      store.transact(() => ({ entries: [{ _tag: "Deleted", platform, accountId, id }], result: undefined })),
    revoke: (platform) =>
      store.transact((state) => ({
        entries: state.families(platform).map((family) => ({ _tag: "Revoked" as const, family })),
        result: undefined
      }))
  })
})

/**
 * Stand-ins for the X API and for an AT Protocol PDS, on a loopback port of their own. They store posts, refuse what the
 * platforms refuse, and apply ordered faults.
 */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    readonly apiUrls: Readonly<Record<LivePlatform, string>>
    /** The configuration to publish to the sandbox, with its pages under `baseUrl`. */
    readonly platforms: (baseUrl: string) => PlatformsConfig
    /** Derives an account from a seed, with credentials that the sandbox accepts. */
    readonly connect: (platform: LivePlatform, workspaceSeed: string) => Effect.Effect<ConnectedAccount>
    /** Gives an application access on X. Returns the authorization code. */
    readonly consent: (request: ConsentRequest) => Effect.Effect<string>
    /** Newest first. */
    readonly posts: Effect.Effect<ReadonlyArray<SandboxPost>>
    /** The number of accepted sends since the journal began. */
    readonly accepted: Effect.Effect<Readonly<Record<LivePlatform, number>>>
    /** The bytes of a post's file; undefined after a restart, or where later ones needed the space. */
    readonly file: (id: string) => Effect.Effect<SandboxFile | undefined>
    /** The workspace of the demo, and what of it are examples; undefined where this sandbox has made none. */
    readonly demo: Effect.Effect<DemoWorkspace | undefined>
    /** Records the workspace of the demo and its examples. The timelines show these examples in place of those from before. */
    readonly recordDemo: (
      demo: Omit<DemoWorkspace, "_tag">,
      examples: ReadonlyArray<SandboxPost>
    ) => Effect.Effect<void>
    /**
     * Records that the demo has no example posts left, and takes them off the timelines. Does nothing if the demo was recorded
     * again since it was read.
     */
    readonly forgetExamples: (demo: DemoWorkspace) => Effect.Effect<void>
    /** Keeps the bytes of an example's file until the end of the process. */
    readonly putFile: (id: string, file: SandboxFile) => Effect.Effect<void>
    readonly faults: Faults
    /** Expires all access tokens. Refresh tokens still work. */
    readonly endAccess: (platform: LivePlatform) => Effect.Effect<void>
    /** Changes an account as its owner or the platform does: renames it, closes it, or moves it to another PDS. */
    readonly changeAccount: (
      platform: LivePlatform,
      id: string,
      change: Partial<Pick<SandboxAccount, "username" | "closed" | "pdsUrl">>
    ) => Effect.Effect<void>
    /** Deletes a post as its owner can. */
    readonly deletePost: (post: Pick<SandboxPost, "platform" | "accountId" | "id">) => Effect.Effect<void>
    /** Revokes all tokens, as people can in their settings. */
    readonly revoke: (platform: LivePlatform) => Effect.Effect<void>
  }
>()("social-publisher/sandbox/Sandbox") {
  static readonly layer = (options: SandboxOptions = {}): Layer.Layer<Sandbox, HttpServerError.ServeError> =>
    Layer.effect(Sandbox, make(options)).pipe(Layer.provide([SecureRandom.layerWebCrypto, NodeFileSystem.layer]))
}
