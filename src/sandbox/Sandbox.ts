import { createServer } from "node:http"
import { NodeFileSystem, NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { HttpRouter, HttpServer, type HttpServerError } from "effect/http"
import type { LivePlatform } from "../domain/platform.ts"
import { encodeSession } from "../platforms/bluesky/session.ts"
import type { PlatformsConfig } from "../platforms/config.ts"
import type { ConnectedAccount } from "../platforms/PlatformClient.ts"
import { encodeTokens } from "../platforms/twitter/tokens.ts"
import { pdsFaultAnswer } from "./bluesky/responses.ts"
import { pdsSessions } from "./bluesky/sessions.ts"
import { pdsStandIn } from "./bluesky/standIn.ts"
import { sandboxAccount } from "./state/accounts.ts"
import { noteAddress, sandboxPlatforms } from "./address.ts"
import type { SandboxPost } from "./state/entry.ts"
import { makeSandboxFaults, type SandboxFaults } from "./state/faults.ts"
import { fileJournal, memoryJournal } from "./state/journal.ts"
import { makeSandboxStore } from "./state/store.ts"
import { makeSandboxTokens } from "./state/tokens.ts"
import { twitterFaultAnswer } from "./twitter/responses.ts"
import { twitterStandIn } from "./twitter/standIn.ts"
import { type PendingCode, twitterTokenEndpoint } from "./twitter/tokenEndpoint.ts"

export interface SandboxOptions {
  /** Where what happens is kept, so that it is there again after a restart; without one it is forgotten. */
  readonly directory?: string
  /** Whether accounts are limited as on the platforms (100 posts in 15 minutes on X); they are unless told. */
  readonly limits?: boolean
}

/** What an application asks a person for. */
export interface ConsentRequest {
  readonly redirectUri: string
  readonly challenge: string
}

const limits = { posts: 100, points: 5000 }
const codeLife = 10 * 60_000
/** Who agrees when access is asked for on the sandbox's page. */
const visitor = "visitor"

const make = Effect.fnUntraced(function* (options: SandboxOptions) {
  const random = yield* SecureRandom.SecureRandom
  const scope = yield* Effect.scope
  const store = yield* makeSandboxStore(
    options.directory === undefined ? memoryJournal : yield* fileJournal(options.directory)
  )
  const tokens = makeSandboxTokens(store, random)
  const faults = yield* makeSandboxFaults
  const codes = new Map<string, PendingCode>()
  const limit = (usual: number) => (options.limits === false ? Number.MAX_SAFE_INTEGER : usual)

  const register = (platform: LivePlatform, seed: string) => {
    const account = sandboxAccount(platform, seed)
    return store.transact((state) => ({
      happens: state.account(platform, account.id) === undefined ? [account] : [],
      answer: account
    }))
  }

  const x = { platform: "twitter", faults, scope, faultAnswer: twitterFaultAnswer } as const
  const pds = { platform: "bluesky", faults, scope, faultAnswer: pdsFaultAnswer } as const
  const routes = HttpRouter.addAll([
    ...twitterStandIn(x, store, limit(limits.posts)),
    twitterTokenEndpoint(x, tokens, codes),
    ...pdsStandIn(pds, store, limit(limits.points)),
    ...pdsSessions(pds, store, tokens, (name) => register("bluesky", name))
  ])
  const server = yield* NodeHttpServer.make(createServer, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 })
  yield* server.serve(yield* HttpRouter.toHttpEffect(routes))
  const url = HttpServer.formatAddress(server.address)
  if (options.directory !== undefined) yield* noteAddress(options.directory, url)

  const connect = Effect.fn("Sandbox.connect")(function* (platform: LivePlatform, workspaceSeed: string) {
    const account = yield* register(platform, workspaceSeed)
    const { access, refresh } = yield* tokens.issue(account)
    return {
      accountId: account.id,
      username: account.username,
      displayName: account.displayName,
      avatarUrl: null,
      // The sandbox has another port after each start, so an account is where the sandbox is.
      serviceUrl: null,
      credentials:
        platform === "twitter"
          ? encodeTokens({ accessToken: access, refreshToken: refresh })
          : encodeSession({ accessJwt: access, refreshJwt: refresh, pdsUrl: null })
    } satisfies ConnectedAccount
  })

  const consent = Effect.fn("Sandbox.consent")(function* (request: ConsentRequest) {
    const account = yield* register("twitter", visitor)
    const code = Base64Url.encode(yield* random.randomBytes(24))
    yield* store.read((_, now) => codes.set(code, { ...request, account, until: now + codeLife }))
    return code
  })

  return Sandbox.of({
    apiUrls: { twitter: url, bluesky: url },
    platforms: (baseUrl) => sandboxPlatforms(url, baseUrl),
    connect,
    consent,
    posts: store.read((state) => state.posts().toReversed()),
    accepted: store.read((state) => ({ twitter: state.accepted("twitter"), bluesky: state.accepted("bluesky") })),
    faults,
    endAccess: (platform) =>
      store.transact(() => ({ happens: [{ _tag: "AccessEnded", platform }], answer: undefined })),
    revoke: (platform) =>
      store.transact((state) => ({
        happens: state.families(platform).map((family) => ({ _tag: "Revoked" as const, family })),
        answer: undefined
      }))
  })
})

/**
 * A stand-in for the X API and for an AT Protocol PDS, on a loopback port of its own: it remembers what was posted,
 * refuses what they refuse, and goes wrong when it is ordered to.
 */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    readonly apiUrls: Readonly<Record<LivePlatform, string>>
    /** The configuration by which posts go to the sandbox and are shown under `baseUrl`. */
    readonly platforms: (baseUrl: string) => PlatformsConfig
    /** The account that a seed stands for, with credentials that the sandbox takes. */
    readonly connect: (platform: LivePlatform, workspaceSeed: string) => Effect.Effect<ConnectedAccount>
    /** Agrees to what an application asks on X; answers the code that it gets. */
    readonly consent: (request: ConsentRequest) => Effect.Effect<string>
    /** Newest first. */
    readonly posts: Effect.Effect<ReadonlyArray<SandboxPost>>
    /** How many sends were taken, since the journal began. */
    readonly accepted: Effect.Effect<Readonly<Record<LivePlatform, number>>>
    readonly faults: SandboxFaults
    /** Lets all access tokens run out; refresh tokens still work. */
    readonly endAccess: (platform: LivePlatform) => Effect.Effect<void>
    /** Ends everything that was granted, as a person can in their settings. */
    readonly revoke: (platform: LivePlatform) => Effect.Effect<void>
  }
>()("social-publisher/platforms/sandbox/Sandbox") {
  static readonly layer = (options: SandboxOptions = {}): Layer.Layer<Sandbox, HttpServerError.ServeError> =>
    Layer.effect(Sandbox, make(options)).pipe(Layer.provide([SecureRandom.layerWebCrypto, NodeFileSystem.layer]))
}
