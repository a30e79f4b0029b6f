import { Schema } from "effect"
import { twitterError } from "../../src/platforms/twitter/standIn/responses.ts"
import { makeTwitterStandIn } from "../../src/platforms/twitter/standIn/standIn.ts"
import type { StandInRequest, StandInResponse } from "../../src/sandbox/endpoint.ts"
import type { State } from "../../src/sandbox/state/state.ts"
import type { AccessChecks } from "./accessChecks.ts"
import type { AccessLifetimes } from "./accessLifetimes.ts"
import type { Invariants } from "./invariants.ts"
import { drawLag, makePlatformFaults } from "./platformFaults.ts"
import { makePlatformServer, type PlatformRequest, type PlatformServer } from "./platformServer.ts"
import { makePostLimit } from "./postLimit.ts"
import type { Process } from "./process.ts"
import type { World } from "./world.ts"

/** X refuses a reply to a post that it does not show yet with a list of errors. */
const isParentUnseen = ({ body, status }: StandInResponse) =>
  status === 403 && typeof body === "object" && "errors" in body

const isTimeline = Schema.is(Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) }))

/**
 * After its request for new tokens, only this process may renew the account, for half of the lease. In milliseconds.
 */
const alone = 30_000

/** Checks that only one process at a time renews an account. */
const makeRenewalChecks = (world: World) => {
  /** The uses of refresh tokens. `isAnswered` if new tokens were given. */
  const uses: Array<{ readonly token: string; readonly process: Process; readonly at: number; isAnswered: boolean }> =
    []

  /** After a process got new tokens, no other process may use the spent token while its lease lasts. */
  const check = (token: string) => {
    const own = uses.filter((use) => use.token === token)
    for (const { at, isAnswered, process } of own) {
      const isShared = own.some((other) => other.process !== process && other.at >= at && other.at < at + alone)
      if (isAnswered && isShared && process.isAlive()) world.violate(`${process.name} does not renew an account alone`)
    }
  }

  return {
    onUse: (process: Process, token: string) => {
      uses.push({ token, process, at: world.now(), isAnswered: false })
      check(token)
    },
    onNewTokens: (process: Process, token: string) => {
      const use = uses.findLast((each) => each.token === token && each.process === process)
      if (use !== undefined) use.isAnswered = true
      check(token)
    }
  }
}

/** A simulated X: publishing is not idempotent, though X may reject duplicates, and the timeline lags. */
export const makeXServer = (
  world: World,
  invariants: Invariants,
  rejectsDuplicates: boolean,
  {
    checks,
    faultFree,
    hasThreads,
    lifetimes
  }: {
    readonly faultFree: boolean
    readonly hasThreads: boolean
    /** If absent, access has its usual lifetime. */
    readonly lifetimes: AccessLifetimes | undefined
    readonly checks: AccessChecks
  }
): PlatformServer => {
  const renewals = makeRenewalChecks(world)

  /** At first, X might not find a post when another post replies to it. Drawn only for threads. */
  const lagsReplies = !faultFree && world.threads.chance(0.5)
  const repliesLag = () => lagsReplies && world.threads.chance(0.3)

  /**
   * Some accounts can send only few posts in a quarter of an hour, but at least as many as the longest thread has
   * parts. X reports the limit.
   */
  const postLimit =
    hasThreads && !faultFree && world.threads.chance(0.4)
      ? makePostLimit(world, world.threads.between(6, 9))
      : undefined

  /** X either always or never refuses a text, regardless of its files and its age. */
  const create = (
    { endpoint, text }: PlatformRequest,
    accountId: string,
    read: StandInRequest,
    state: State
  ): StandInResponse => {
    const isKnown = text !== null && state.lastPostedAt("twitter", accountId, text) !== undefined
    const response =
      rejectsDuplicates && isKnown
        ? twitterError(403, "Forbidden", "You are not allowed to create a Tweet with duplicate content.")
        : endpoint.respond(read, { ...state, lastPostedAt: () => undefined })
    if (isParentUnseen(response)) world.count("reply too early")
    return response
  }

  const server = makePlatformServer(world, invariants, {
    name: "X",
    standIn: makeTwitterStandIn("self-serve"),
    lifetimes,
    drawFault: makePlatformFaults(
      world,
      { kind: "status", status: 403, detail: "You may not do this." },
      { mayBeTaken: rejectsDuplicates }
    ),
    accessToken: (number) => `access-${number}`,
    respond: (request, read, state) => {
      const account = state.accountByToken("twitter", request.token, read.now)
      const isOpen = typeof account === "object" && (account.closed ?? null) === null
      if (request.text === null || !isOpen) return request.endpoint.respond(read, state)
      const execute = () => create(request, account.id, read, state)
      return postLimit === undefined ? execute() : postLimit.use(account.id, execute)
    },
    shows: () => {
      const lag = world.injects("timeline lag") ? drawLag(world) : world.prng.between(0, 4000)
      const hidden = repliesLag() ? world.threads.between(1000, 40_000) : 0
      return { shownFrom: world.now() + lag, repliesFrom: world.now() + hidden }
    },
    states: ({ body, ...response }, says) => ({
      ...response,
      body: { ...(typeof body === "object" ? body : {}), expires_in: says === undefined ? undefined : says / 1000 }
    })
  })
  const { state } = server

  const refreshTokenOf = (request: PlatformRequest) =>
    server.isRenewal(request) ? (new URLSearchParams(request.read.body).get("refresh_token") ?? undefined) : undefined

  const onTokens = (process: Process, token: string, { isOwn, status }: ReturnType<typeof server.handle>) => {
    if (status === 200) renewals.onNewTokens(process, token)
    const refused = isOwn && status === 400 ? state.grantByRefreshToken("twitter", token) : undefined
    if (refused !== undefined) checks.onRefused(process, refused.accountId)
  }

  return {
    ...server,
    onSend: (process, request) => {
      const token = refreshTokenOf(request)
      if (token !== undefined) renewals.onUse(process, token)
      const accountId = server.accountOf(request.token)
      if (accountId === undefined) return
      const { endpoint, text } = request
      if (text !== null) {
        checks.onSend(accountId, text)
        invariants.onSend(process, request, accountId, text, postLimit?.toldTo(process, accountId))
      } else if (endpoint.call === "timeline") invariants.onTimelineRequest(process, accountId)
    },
    onResponse: (process, request, response) => {
      const token = refreshTokenOf(request)
      if (token !== undefined) onTokens(process, token, response)
      const accountId = server.accountOf(request.token)
      if (accountId === undefined) return
      const { endpoint, text } = request
      if (text !== null && response.isOwn && response.status === 401) checks.onEnded(process, accountId, text)
      if (text !== null) postLimit?.onResponse(process, accountId, response)
      if (endpoint.call !== "timeline" || response.status !== 200) return
      const { body } = response
      const shown = isTimeline(body) ? body.data : []
      invariants.onTimeline(
        process,
        accountId,
        shown.flatMap(({ id }) => state.post("twitter", accountId, id)?.text ?? [])
      )
    },
    authorize: (accountId) => {
      checks.onConnected(accountId)
      return server.authorize(accountId)
    }
  }
}
