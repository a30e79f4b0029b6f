import { Redacted } from "effect"
import type { HttpClientRequest } from "effect/http"
import type { Respond, StandInResponse } from "../../src/sandbox/endpoint.ts"
import type { StandIn } from "../../src/sandbox/StandIn.ts"
import type { Entry, Grant, SandboxPost } from "../../src/sandbox/state/entry.ts"
import type { Fault } from "../../src/sandbox/state/faults.ts"
import type { State } from "../../src/sandbox/state/state.ts"
import type { FreshTokens } from "../../src/sandbox/state/tokens.ts"
import { callOf, memoryStandIn, type ReceivedRequest } from "../support/platforms/memoryStandIn.ts"
import type { TextOf } from "../support/platforms/sentTexts.ts"
import { type AccessLifetimes, usualLifetime } from "./accessLifetimes.ts"
import type { Invariants } from "./invariants.ts"
import type { Process } from "./process.ts"
import { idInUrl } from "./threads.ts"
import { hour, type World } from "./world.ts"

/** A request as the platform receives it. */
export interface PlatformRequest extends ReceivedRequest {
  /** In true time. */
  readonly sentAt: number
}

export interface ServerResponse extends StandInResponse {
  /** False if an intermediary responds in place of the platform. */
  readonly isOwn: boolean
}

/** A simulated platform: its stand-in with faults that the seed draws. */
export interface PlatformServer {
  readonly name: string
  readonly receive: (request: HttpClientRequest.HttpClientRequest, sentAt: number) => PlatformRequest
  /** Handles a request when it arrives. */
  readonly handle: (request: PlatformRequest) => ServerResponse
  /** True if a request asks for new access. */
  readonly isRenewal: (request: PlatformRequest) => boolean
  /** For the trace. */
  readonly describe: (request: PlatformRequest) => string
  readonly onSend: (process: Process, request: PlatformRequest) => void
  /** Runs when a response reaches the sending process. */
  readonly onResponse: (process: Process, request: PlatformRequest, response: ServerResponse) => void
  /** Returns the credentials. */
  readonly authorize: (accountId: string) => string
  readonly revoke: (accountId: string) => void
  /** The platform suspends an account, or reinstates it. */
  readonly setClosed: (accountId: string, closed: boolean) => void
}

/** A new access, and the platform's statement of its lifetime, if any. Times are in milliseconds. */
interface Access {
  readonly fresh: FreshTokens
  readonly lasts: number
  readonly says: number | undefined
}

/** Access that outlasts a simulation. */
export const lastingAccess: AccessLifetimes = { draw: () => ({ lasts: 60 * 24 * hour, says: undefined }) }

interface Behavior {
  readonly name: string
  readonly standIn: StandIn
  /** By default the text is in a JSON body. */
  readonly textOf?: TextOf
  readonly lifetimes: AccessLifetimes | undefined
  readonly drawFault: (text: string | null, request: PlatformRequest) => Fault | undefined
  readonly accessToken: (number: number, says: number | undefined) => string
  /** The beginning of the names of what requests make. Empty by default. */
  readonly drawPrefix?: () => string
  /** Replaces the endpoint's own response. */
  readonly respond?: (request: PlatformRequest, read: Parameters<Respond>[0], state: State) => StandInResponse
  /** The time from which the platform shows a new post. */
  readonly shows?: () => Partial<Pick<SandboxPost, "shownFrom" | "repliesFrom">>
  readonly onPost?: (post: SandboxPost, state: State) => void
  /** Adds the platform's stated lifetime of the access to the response. */
  readonly states?: (response: StandInResponse, says: number | undefined) => StandInResponse
}

const isForeign = (fault: Fault | undefined) => fault?.kind === "front"

export const makePlatformServer = (world: World, invariants: Invariants, behavior: Behavior) => {
  const { accessToken, drawFault, lifetimes, name, onPost, shows, standIn, states = (response) => response } = behavior
  const { respond = ({ endpoint }, read, by) => endpoint.respond(read, by) } = behavior
  const { platform } = standIn
  const platformState = memoryStandIn(standIn, behavior.textOf)
  const { apply, state } = platformState
  /** The last grant of each account. */
  const latest = new Map<string, Grant>()
  let last = 0

  const drawAccess = (): Access => {
    last += 1
    const { lasts, says } = lifetimes?.draw() ?? { lasts: usualLifetime, says: undefined }
    const fresh = { access: accessToken(last, says), refresh: `refresh-${last}`, family: `family-${last}` }
    return { fresh, lasts, says }
  }

  const accountOf = (token: string): string | undefined => state.grantByAccessToken(platform, token)?.accountId

  /** A renewal ends the account's previous access. */
  const view: State = {
    ...state,
    accountByToken: (of, token, now) => {
      const grant = state.grantByAccessToken(of, token)
      const isLast = grant !== undefined && latest.get(grant.accountId)?.refresh === grant.refresh
      return grant === undefined || isLast ? state.accountByToken(of, token, now) : "expired"
    }
  }

  const keep = (entry: Entry, lasts: number): Entry => {
    if (entry._tag === "Grant") {
      const grant = { ...entry, accessUntil: world.now() + lasts }
      latest.set(entry.accountId, grant)
      return grant
    }
    return entry._tag === "Post" ? { ...shows?.(), ...entry } : entry
  }

  /** A post's id, from its name in replies. */
  const idOf = (named: string): string =>
    state.posts().find((post) => post.platform === platform && standIn.identity(post) === named)?.id ?? idInUrl(named)

  const accept = (request: PlatformRequest, post: SandboxPost) => {
    const { id, media = [], reply, text } = post
    onPost?.(post, state)
    const replied = reply === undefined ? null : { parent: idOf(reply.parent), root: idOf(reply.root) }
    invariants.onAccepted(request, text, id, { files: media.length, reply: replied })
  }

  /** Carries out a request as the platform does. Sometimes forgets files. */
  const carryOut = (request: PlatformRequest): Respond => {
    const hasFiles = /"media_ids"|"app\.bsky\.embed\.images"/.test(request.read.body)
    return (read, by) => {
      const isForgotten =
        request.text !== null && hasFiles && read.oddity === undefined && world.injects("upload forgotten")
      if (!isForgotten) return respond(request, read, by)
      // A PDS that has lost a file fails differently from a PDS that never had it.
      const kind = platform === "bluesky" && world.prng.chance(0.5) ? "lost_blobs" : "forgotten_files"
      return respond(request, { ...read, oddity: { kind } }, by)
    }
  }

  const isRenewal = (request: PlatformRequest) => callOf(request) === "session"

  let made = 0

  const nameNew = (): Access => {
    const access = `${behavior.drawPrefix?.() ?? ""}made-${++made}`
    return { fresh: { access, refresh: `made-${made}`, family: "" }, lasts: 0, says: undefined }
  }

  return {
    name,
    state,
    accountOf,
    isRenewal,
    receive: (request: HttpClientRequest.HttpClientRequest, sentAt: number): PlatformRequest => ({
      ...platformState.receive(request),
      sentAt
    }),
    describe: (request: PlatformRequest): string => {
      const call = callOf(request)
      if (request.text !== null) return `post “${request.text}”`
      return call === "session" ? "new access" : call
    },
    handle: (request: PlatformRequest): ServerResponse => {
      const fault = drawFault(request.text, request)
      const { fresh, lasts, says } = isRenewal(request) ? drawAccess() : nameNew()
      const endpoint = { ...request.endpoint, respond: carryOut(request) }
      const { entries, response } = platformState.meet(
        { endpoint, read: request.read },
        { now: world.now(), fresh, fault },
        view
      )
      for (const entry of entries.map((each) => keep(each, lasts))) {
        apply([entry])
        if (entry._tag === "Post") accept(request, entry)
      }
      const isOwn = !isForeign(fault)
      if (typeof response === "string") throw new TypeError("Only the network loses responses")
      return { ...(isOwn && entries.some(({ _tag }) => _tag === "Grant") ? states(response, says) : response), isOwn }
    },
    authorize: (accountId: string): string => {
      const { fresh, lasts } = drawAccess()
      const before = latest.get(accountId)
      if (before !== undefined) apply([{ _tag: "Revoked", family: before.family }])
      const grant = platformState.grant(accountId, world.now(), fresh)
      apply([keep(grant, lasts)])
      return Redacted.value(platformState.credentials(grant))
    },
    revoke: (accountId: string) => {
      const grant = latest.get(accountId)
      if (grant !== undefined) apply([{ _tag: "Revoked", family: grant.family }])
    },
    setClosed: (accountId: string, closed: boolean) => {
      const account = state.account(platform, accountId)
      if (account !== undefined) apply([{ ...account, closed: closed ? "takendown" : null }])
    }
  }
}
