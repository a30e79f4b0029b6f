import { Function, Option, Redacted, Schema } from "effect"
import { UrlParams } from "effect/http"
import { encodeTokens } from "../../src/platforms/twitter/tokens.ts"
import type { Invariants } from "./invariants.ts"
import type { PlatformRequest, PlatformServer, ServerResponse } from "./network.ts"
import { makePlatformFaults } from "./platformFaults.ts"
import { hour, type World } from "./world.ts"

interface Tweet {
  readonly id: string
  readonly text: string
  readonly at: number
  /** When it appears on the timeline, which lags. */
  readonly visibleFrom: number
}

interface XAccount {
  readonly id: string
  readonly tweets: Array<Tweet>
  access: string
  accessUntil: number
  refresh: string
  revoked: boolean
  closed: boolean
}

/** A simulated X: publishing is not idempotent, though X may reject duplicates, and the timeline lags. */
export interface XServer extends PlatformServer {
  /** Authorizes the service to use an account; returns the credentials. */
  readonly authorize: (accountId: string) => string
  /** The user revokes the authorization. */
  readonly revoke: (accountId: string) => void
  /** X suspends an account, or reinstates it. */
  readonly setClosed: (accountId: string, closed: boolean) => void
}

const decodePost = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ text: Schema.String })))

const accessLifetime = 2 * 60 * 60 * 1000

const unauthorized: ServerResponse = { status: 401, body: { title: "Unauthorized", detail: "Unauthorized" } }
const rejection: ServerResponse = { status: 403, body: { title: "Forbidden", detail: "You may not do this." } }
const suspended: ServerResponse = { status: 403, body: { title: "Forbidden", detail: "Your account is suspended." } }
const overloaded: ServerResponse = {
  status: 503,
  body: { title: "Service Unavailable", detail: "Wait and retry.", type: "about:blank" }
}
const duplicate: ServerResponse = {
  status: 403,
  body: { title: "Forbidden", detail: "You are not allowed to create a Tweet with duplicate content." }
}

const isTimeline = Schema.is(Schema.Struct({ data: Schema.Array(Schema.Struct({ text: Schema.String })) }))

const isPost = ({ method, path }: PlatformRequest) => method === "POST" && path === "/2/tweets"

/** The text that a request would publish; null where it publishes nothing. */
const textOf = Function.memoize((request: PlatformRequest) => (isPost(request) ? decodePost(request.body).text : null))

export const makeXServer = (world: World, invariants: Invariants, rejectsDuplicates: boolean): XServer => {
  const accounts = new Map<string, XAccount>()
  const faults = makePlatformFaults(world, "x-rate-limit-reset", rejection, {
    response: overloaded,
    // A copy of it would be published otherwise.
    mayBeTaken: rejectsDuplicates
  })
  /** Every token that was ever issued. */
  const accountsByToken = new Map<string, XAccount>()
  let last = 0

  /** Usually some minutes; now and then hours, which is longer than reconciliation goes on. */
  const drawLag = () => world.prng.between(20_000, world.prng.chance(0.8) ? 900_000 : 6 * hour)

  const issueTokens = (account: XAccount): void => {
    last += 1
    account.access = `access-${last}`
    account.refresh = `refresh-${last}`
    account.accessUntil = world.now() + accessLifetime
    account.revoked = false
    accountsByToken.set(account.access, account).set(account.refresh, account)
  }

  const create = (account: XAccount, text: string, request: PlatformRequest): ServerResponse => {
    if (rejectsDuplicates && account.tweets.some((tweet) => tweet.text === text)) return duplicate
    const lag = world.injects("timeline lag") ? drawLag() : world.prng.between(0, 4000)
    last += 1
    const tweet: Tweet = { id: String(last), text, at: world.now(), visibleFrom: world.now() + lag }
    account.tweets.push(tweet)
    invariants.onAccepted(request, text, tweet.id)
    return { status: 201, body: { data: { id: tweet.id, text } } }
  }

  const timeline = (account: XAccount, since: number): ServerResponse => ({
    status: 200,
    body: {
      data: account.tweets
        .filter((tweet) => tweet.at >= since && tweet.visibleFrom <= world.now())
        .toReversed()
        .map(({ at, id, text }) => ({ id, text, created_at: new Date(Math.floor(at / 1000) * 1000).toISOString() }))
    }
  })

  const refreshTokens = (refreshToken: string): ServerResponse => {
    const account = accountsByToken.get(refreshToken)
    if (account === undefined || account.revoked || account.refresh !== refreshToken) {
      // Reuse of a refresh token revokes every token that was issued from it.
      if (account !== undefined) account.revoked = true
      return { status: 400, body: { error: "invalid_grant", error_description: "The token was invalid." } }
    }
    issueTokens(account)
    return { status: 200, body: { access_token: account.access, refresh_token: account.refresh } }
  }

  const execute = (request: PlatformRequest): ServerResponse => {
    if (request.path === "/2/oauth2/token") {
      return refreshTokens(new URLSearchParams(request.body).get("refresh_token") ?? "")
    }
    const account = accountsByToken.get(request.token)
    if (account === undefined || account.revoked || account.access !== request.token) return unauthorized
    if (account.accessUntil <= world.now()) return unauthorized
    if (account.closed) return suspended
    const text = textOf(request)
    return text === null
      ? timeline(account, Date.parse(Option.getOrElse(UrlParams.getFirst(request.params, "start_time"), () => "")))
      : create(account, text, request)
  }

  const describe = (request: PlatformRequest): string => {
    const text = textOf(request)
    if (text !== null) return `post “${text}”`
    return request.method === "GET" ? "timeline" : "new access"
  }

  return {
    name: "X",
    describe,
    handle: (request) => faults.handle(textOf(request), () => execute(request)),
    onSend: (process, request) => {
      const account = accountsByToken.get(request.token)
      if (account === undefined) return
      const text = textOf(request)
      if (text !== null) invariants.onSend(process, request, account.id, text)
      else if (request.method === "GET") invariants.onTimelineRequest(process, account.id)
    },
    onResponse: (process, request, { body }) => {
      const account = accountsByToken.get(request.token)
      if (account === undefined || !isTimeline(body)) return
      invariants.onTimeline(
        process,
        account.id,
        body.data.map(({ text }) => text)
      )
    },
    authorize: (accountId) => {
      const known = accounts.get(accountId)
      const account = known ?? {
        id: accountId,
        tweets: [],
        access: "",
        accessUntil: 0,
        refresh: "",
        revoked: true,
        closed: false
      }
      accounts.set(accountId, account)
      issueTokens(account)
      return Redacted.value(encodeTokens({ accessToken: account.access, refreshToken: account.refresh }))
    },
    revoke: (accountId) => {
      const account = accounts.get(accountId)
      if (account !== undefined) account.revoked = true
    },
    setClosed: (accountId, closed) => {
      const account = accounts.get(accountId)
      if (account !== undefined) account.closed = closed
    }
  }
}
