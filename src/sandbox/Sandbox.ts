import { createServer } from "node:http"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer, Record } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServer, type HttpServerError } from "effect/http"
import type { ConnectedAccount } from "../domain/accounts/integration.ts"
import type { LivePlatform } from "../domain/platform.ts"
import type { Connections } from "../platforms/Connection.ts"
import { platformsAt, standIns } from "../platforms/standIns.ts"
import { writeAddress } from "./address.ts"
import { makeFetchFile } from "./media/fetchFile.ts"
import { makeFiles, type SandboxFile } from "./media/files.ts"
import { serveStandIn } from "./serveStandIn.ts"
import type { ConsentRequest } from "./state/codes.ts"
import { deletionOf, DemoWorkspace, type Entry, SandboxAccount, type SandboxPost } from "./state/entry.ts"
import { type Faults, makeFaults } from "./state/faults.ts"
import { fileJournal, memoryJournal } from "./state/journal.ts"
import type { State } from "./state/state.ts"
import { visitor } from "./state/names.ts"
import { makeStore } from "./state/store.ts"

export interface SandboxOptions {
  /** Keeps the state across restarts. Without it, everything is in memory only. */
  readonly directory?: string
  /** The platforms' rate limits; true by default. */
  readonly limits?: boolean
  readonly configured?: Parameters<typeof platformsAt>[2]
}

/** For the files of all platforms together, in memory. */
const maxMediaBytes = 256 * 1024 * 1024

const deletedExamples = (state: State) =>
  state
    .posts()
    .filter(({ example }) => example === true)
    .map(deletionOf)

const make = Effect.fnUntraced(function* (options: SandboxOptions) {
  const random = yield* SecureRandom.SecureRandom
  const scope = yield* Effect.scope
  const store = yield* makeStore(
    options.directory === undefined ? memoryJournal : yield* fileJournal(options.directory)
  )
  const faults = yield* makeFaults
  const files = makeFiles(maxMediaBytes)
  const limit = (usual: number) => (options.limits === false ? Number.MAX_SAFE_INTEGER : usual)

  const fetchFile = yield* makeFetchFile
  const used = Record.map(standIns, (standIn, platform) => options.configured?.[platform]?.standIn ?? standIn)
  const served = Record.map(used, (standIn) =>
    serveStandIn({ faults, fetchFile, files, limit, random, scope, store }, standIn)
  )
  const routes = Object.values(served).flatMap((standIn) => standIn.routes)
  const server = yield* NodeHttpServer.make(createServer, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 })
  yield* server.serve(yield* HttpRouter.toHttpEffect(HttpRouter.addAll(routes)))
  const url = HttpServer.formatAddress(server.address)
  if (options.directory !== undefined) yield* writeAddress(options.directory, url)

  const record = (entriesOf: (state: State) => ReadonlyArray<Entry>) =>
    store.transact((state) => ({ entries: entriesOf(state), result: undefined }))

  const connect = Effect.fn("Sandbox.connect")(function* (platform: LivePlatform, workspaceSeed: string) {
    const { account, grant } = yield* served[platform].connect(workspaceSeed)
    return {
      accountId: account.id,
      username: account.username,
      displayName: account.displayName,
      avatarUrl: null,
      // The sandbox has another port after each start, so its accounts store no service URL.
      serviceUrl: null,
      credentials: used[platform].credentials(grant)
    } satisfies ConnectedAccount
  })

  return Sandbox.of({
    apiUrls: Record.map(standIns, () => url),
    platforms: (baseUrl) => platformsAt(url, baseUrl, options.configured),
    connect,
    consent: (platform, request) => served[platform].consent(visitor, request),
    posts: store.read((state) => state.posts().toReversed()),
    accepted: store.read((state) => Record.map(standIns, ({ platform }) => state.accepted(platform))),
    file: (id) => Effect.sync(() => files.get(id)),
    demo: store.read((state) => state.demo()),
    recordDemo: (demo, examples) =>
      record((state) => [...deletedExamples(state), ...examples, DemoWorkspace.make(demo)]),
    forgetExamples: (demo) =>
      record((state) =>
        state.demo() === demo ? [...deletedExamples(state), DemoWorkspace.make({ ...demo, postIds: [] })] : []
      ),
    putFile: (id, file) => Effect.sync(() => files.put(id, file)),
    faults,
    endAccess: (platform) => record(() => [{ _tag: "AccessEnded", platform }]),
    changeAccount: (platform, id, change) =>
      record((state) => {
        const account = state.account(platform, id)
        return account === undefined ? [] : [SandboxAccount.make({ ...account, ...change })]
      }),
    deletePost: (post) => record(() => [deletionOf(post)]),
    revoke: (platform) => record((state) => state.families(platform).map((family) => ({ _tag: "Revoked", family })))
  })
})

/** The stand-ins of all platforms, on their own loopback port. */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    readonly apiUrls: Readonly<Record<LivePlatform, string>>
    /** Connections to the stand-ins, whose pages are under `baseUrl`. */
    readonly platforms: (baseUrl: string) => Connections
    readonly connect: (platform: LivePlatform, workspaceSeed: string) => Effect.Effect<ConnectedAccount>
    /** Returns the authorization code. */
    readonly consent: (platform: LivePlatform, request: ConsentRequest) => Effect.Effect<string>
    /** Newest first. */
    readonly posts: Effect.Effect<ReadonlyArray<SandboxPost>>
    /** Accepted sends since the journal began. */
    readonly accepted: Effect.Effect<Readonly<Record<LivePlatform, number>>>
    /** Undefined after a restart, or if later files needed the space. */
    readonly file: (id: string) => Effect.Effect<SandboxFile | undefined>
    /** Undefined if this sandbox has made no demo. */
    readonly demo: Effect.Effect<DemoWorkspace | undefined>
    /** The examples replace earlier ones on the timelines. */
    readonly recordDemo: (
      demo: Omit<DemoWorkspace, "_tag">,
      examples: ReadonlyArray<SandboxPost>
    ) => Effect.Effect<void>
    /**
     * Records that the demo has no example posts left, and takes them off the timelines. Does nothing if the demo was
     * recorded again since.
     */
    readonly forgetExamples: (demo: DemoWorkspace) => Effect.Effect<void>
    readonly putFile: (id: string, file: SandboxFile) => Effect.Effect<void>
    readonly faults: Faults
    /** Expires access tokens. Refresh tokens still work. */
    readonly endAccess: (platform: LivePlatform) => Effect.Effect<void>
    readonly changeAccount: (
      platform: LivePlatform,
      id: string,
      change: Partial<Pick<SandboxAccount, "username" | "closed" | "pdsUrl">>
    ) => Effect.Effect<void>
    readonly deletePost: (post: Pick<SandboxPost, "platform" | "accountId" | "id">) => Effect.Effect<void>
    readonly revoke: (platform: LivePlatform) => Effect.Effect<void>
  }
>()("social-publisher/sandbox/Sandbox") {
  static readonly layer = (options: SandboxOptions = {}): Layer.Layer<Sandbox, HttpServerError.ServeError> =>
    Layer.effect(Sandbox, make(options)).pipe(
      Layer.provide([SecureRandom.layerWebCrypto, NodeFileSystem.layer, NodeHttpClient.layerUndici])
    )
}
