import { createHmac, randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { AtpAgent } from "@atproto/api"
import type { ServerEnvironment } from "@atproto/pds"
import { Context, Effect, Exit, Layer, Redacted, Scope, Semaphore } from "effect"
import { installPackages } from "../process/installPackages.ts"
import { plcDirectory } from "./plcDirectory.ts"

await installPackages("test/support/pds")
const { envToCfg, envToSecrets, PDS } = await import("@atproto/pds")

/** The client is logged in with the main password. */
export interface PdsAccount {
  readonly did: string
  readonly handle: string
  readonly email: string
  readonly password: string
  readonly appPassword: Redacted.Redacted
  /** The name by which the app password is revoked. */
  readonly appPasswordName: string
  readonly agent: AtpAgent
}

export interface PdsOptions {
  /** Off by default. */
  readonly rateLimits?: boolean
  /** Returns a DID document, which names the account's PDS, with each session, as bsky.social does. */
  readonly didDocuments?: boolean
  /** The suffix of handles; ".test" by default. */
  readonly handleDomain?: string
  /** Another PDS, whose directory of identities this PDS shares, and which resolves unknown handles. */
  readonly neighbor?: Pds["Service"]
}

const jwtSecret = "the PDS signs its tokens with this"
const adminPassword = "the operator of the PDS"
const appPasswordName = "social publisher"
/** An address without a listener. */
const unreachableUrl = "http://127.0.0.1:9"

const base64Url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The changed token's signature is valid. */
export const withClaims = (token: string, claims: object): string => {
  const [header, payload] = token.split(".")
  const known: object = JSON.parse(Buffer.from(payload ?? "", "base64url").toString())
  const signed = `${header}.${base64Url({ ...known, ...claims })}`
  return `${signed}.${createHmac("sha256", jwtSecret).update(signed).digest("base64url")}`
}

/** The PDS has no setting for a token's lifetime. */
export const expired = (token: string): string => withClaims(token, { iat: 1_000_000_000, exp: 1_000_007_200 })

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const listen = (server: Server, port: number) =>
  Effect.promise(async () => {
    server.listen(port, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("The PDS listens on no port")
    return address.port
  })

const close = (server: Server) =>
  Effect.promise(async () => {
    const closed = once(server, "close")
    server.close()
    server.closeAllConnections()
    await closed
  })

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "social-publisher-pds-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

/** Starts a PDS that stops with the scope. */
export const makePds = Effect.fn("makePds")(function* (options: PdsOptions = {}) {
  const scope = yield* Effect.scope
  const plcUrl = options.neighbor?.plcUrl ?? (yield* plcDirectory)
  const dataDirectory = yield* directory
  const temporaryBlobs = path.join(dataDirectory, "temporary-blobs")
  const plcRotationKeyK256PrivateKeyHex = randomBytes(32).toString("hex")
  const turn = yield* Semaphore.make(1)
  let running: Scope.Closeable | undefined
  let port = 0

  const boot = Effect.gen(function* () {
    let handle: Handler = (_, response) => response.writeHead(503).end()
    const server = createServer((request, response) => handle(request, response))
    port = yield* listen(server, port)
    const env: ServerEnvironment = {
      port,
      hostname: "localhost",
      devMode: true,
      disableSsrfProtection: true,
      dataDirectory,
      blobstoreDiskLocation: path.join(dataDirectory, "blobs"),
      blobstoreDiskTmpLocation: temporaryBlobs,
      didPlcUrl: plcUrl,
      plcRotationKeyK256PrivateKeyHex,
      jwtSecret,
      adminPassword,
      inviteRequired: false,
      rateLimitsEnabled: options.rateLimits ?? false,
      enableDidDocWithSession: options.didDocuments ?? false,
      serviceHandleDomains: [options.handleDomain ?? ".test"],
      bskyAppViewUrl: options.neighbor?.url ?? unreachableUrl,
      bskyAppViewDid: "did:example:appview"
    }
    const configured = envToCfg(env)
    const publicUrl = `http://127.0.0.1:${port}`
    const pds = yield* Effect.promise(async () => {
      const pds = await PDS.create({ ...configured, service: { ...configured.service, publicUrl } }, envToSecrets(env))
      await pds.ctx.sequencer.start()
      return pds
    })
    handle = pds.app
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        close(server),
        Effect.promise(() => pds.ctx.destroy())
      )
    )
  })

  const start = Effect.suspend(() => {
    if (running !== undefined) return Effect.void
    running = Scope.makeUnsafe()
    return Scope.provide(boot, running)
  }).pipe(turn.withPermits(1))
  const stop = Effect.suspend(() => {
    if (running === undefined) return Effect.void
    const stopping = running
    running = undefined
    return Scope.close(stopping, Exit.void)
  }).pipe(turn.withPermits(1))

  yield* Scope.addFinalizer(scope, stop)
  yield* start
  const url = `http://127.0.0.1:${port}`

  const createAccount = Effect.fn("Pds.createAccount")((name: string) =>
    Effect.promise(async (): Promise<PdsAccount> => {
      const agent = new AtpAgent({ service: url })
      const handle = `${name}${options.handleDomain ?? ".test"}`
      const password = `main password of ${name}`
      const email = `${name}@example.com`
      const { data } = await agent.createAccount({ handle, password, email })
      const appPassword = await agent.com.atproto.server.createAppPassword({ name: appPasswordName })
      return {
        did: data.did,
        handle,
        email,
        password,
        appPassword: Redacted.make(appPassword.data.password),
        appPasswordName,
        agent
      }
    })
  )

  const operator = new AtpAgent({ service: url }).com.atproto.admin
  const asOperator = { headers: { authorization: `Basic ${Buffer.from(`admin:${adminPassword}`).toString("base64")}` } }
  const takeDown = Effect.fn("Pds.takeDown")((did: string) =>
    Effect.promise(() =>
      operator.updateSubjectStatus(
        { subject: { $type: "com.atproto.admin.defs#repoRef", did }, takedown: { applied: true } },
        asOperator
      )
    )
  )
  const deleteAccount = Effect.fn("Pds.deleteAccount")((did: string) =>
    Effect.promise(() => operator.deleteAccount({ did }, asOperator))
  )

  const dropTemporaryBlobs = Effect.promise(() => rm(temporaryBlobs, { recursive: true, force: true }))

  return Pds.of({ url, plcUrl, createAccount, takeDown, deleteAccount, dropTemporaryBlobs, start, stop })
})

/** The reference PDS in this process, with its own directory of identities. It connects only to loopback addresses. */
export class Pds extends Context.Service<
  Pds,
  {
    readonly url: string
    readonly plcUrl: string
    readonly createAccount: (name: string) => Effect.Effect<PdsAccount>
    /** As the PDS's operator. */
    readonly takeDown: (did: string) => Effect.Effect<unknown>
    readonly deleteAccount: (did: string) => Effect.Effect<unknown>
    /** Deletes the bytes of blobs without a record, as a PDS can after minutes. */
    readonly dropTemporaryBlobs: Effect.Effect<void>
    /** Closes every connection and stops, as when the machine restarts. Data stays. */
    readonly stop: Effect.Effect<void>
    /** Starts again with the same port and data. */
    readonly start: Effect.Effect<void>
  }
>()("test/Pds") {
  static readonly layer = (options: PdsOptions = {}) => Layer.effect(Pds, makePds(options))
}
