import { Function, Option, Redacted, Schema } from "effect"
import { UrlParams } from "effect/http"
import { encodeTokens } from "../../src/platforms/twitter/tokens.ts"
import type { PlatformAnswer, PlatformRequest, PlatformServer } from "./network.ts"
import { makePlatformFaults } from "./platformFaults.ts"
import type { Promises } from "./promises.ts"
import type { World } from "./world.ts"

interface Tweet {
  readonly id: string
  readonly text: string
  readonly at: number
  /** From when on the timeline shows it. */
  readonly shownFrom: number
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

/** Stands for X: a repeated request makes a second post, unless X refuses duplicates; the timeline lags. */
export interface XServer extends PlatformServer {
  /** Grants access to an account as a person would, and answers the credentials. */
  readonly connect: (accountId: string) => string
  /** A person takes the access back. */
  readonly revoke: (accountId: string) => void
  /** X suspends an account, or ends that. */
  readonly setClosed: (accountId: string, closed: boolean) => void
}

const decodePost = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ text: Schema.String })))

const accessLasts = 2 * 60 * 60 * 1000

const unauthorized: PlatformAnswer = { status: 401, body: { title: "Unauthorized", detail: "Unauthorized" } }
const refusal: PlatformAnswer = { status: 403, body: { title: "Forbidden", detail: "You may not do this." } }
const suspended: PlatformAnswer = { status: 403, body: { title: "Forbidden", detail: "Your account is suspended." } }
const duplicate: PlatformAnswer = {
  status: 403,
  body: { title: "Forbidden", detail: "You are not allowed to create a Tweet with duplicate content." }
}

const isTimeline = Schema.is(Schema.Struct({ data: Schema.Array(Schema.Struct({ text: Schema.String })) }))

const isPost = ({ method, path }: PlatformRequest) => method === "POST" && path === "/2/tweets"

/** What a request would publish; null where it publishes nothing. */
const textOf = Function.memoize((request: PlatformRequest) => (isPost(request) ? decodePost(request.body).text : null))

export const makeXServer = (world: World, promises: Promises, refusesDuplicates: boolean): XServer => {
  const accounts = new Map<string, XAccount>()
  const faults = makePlatformFaults(world, "x-rate-limit-reset", refusal)
  /** Every token that was ever given out. */
  const holders = new Map<string, XAccount>()
  let last = 0

  const grant = (account: XAccount): void => {
    last += 1
    account.access = `access-${last}`
    account.refresh = `refresh-${last}`
    account.accessUntil = world.now() + accessLasts
    account.revoked = false
    holders.set(account.access, account).set(account.refresh, account)
  }

  const create = (account: XAccount, text: string, leftAt: number): PlatformAnswer => {
    if (refusesDuplicates && account.tweets.some((tweet) => tweet.text === text)) return duplicate
    const lag = world.happens("timeline late") ? world.dice.between(20_000, 900_000) : world.dice.between(0, 4000)
    last += 1
    const tweet: Tweet = { id: String(last), text, at: world.now(), shownFrom: world.now() + lag }
    account.tweets.push(tweet)
    promises.accepted(account.id, text, leftAt)
    return { status: 201, body: { data: { id: tweet.id, text } } }
  }

  const timeline = (account: XAccount, from: number): PlatformAnswer => ({
    status: 200,
    body: {
      data: account.tweets
        .filter((tweet) => tweet.at >= from && tweet.shownFrom <= world.now())
        .toReversed()
        .map(({ at, id, text }) => ({ id, text, created_at: new Date(Math.floor(at / 1000) * 1000).toISOString() }))
    }
  })

  const renew = (spent: string): PlatformAnswer => {
    const account = holders.get(spent)
    if (account === undefined || account.revoked || account.refresh !== spent) {
      // A refresh token that is used twice ends all the access that came from it.
      if (account !== undefined) account.revoked = true
      return { status: 400, body: { error: "invalid_grant", error_description: "The token was invalid." } }
    }
    grant(account)
    return { status: 200, body: { access_token: account.access, refresh_token: account.refresh } }
  }

  const carryOut = (request: PlatformRequest): PlatformAnswer => {
    if (request.path === "/2/oauth2/token") {
      return renew(new URLSearchParams(request.body).get("refresh_token") ?? "")
    }
    const account = holders.get(request.token)
    if (account === undefined || account.revoked || account.access !== request.token) return unauthorized
    if (account.accessUntil <= world.now()) return unauthorized
    if (account.closed) return suspended
    const text = textOf(request)
    return text === null
      ? timeline(account, Date.parse(Option.getOrElse(UrlParams.getFirst(request.params, "start_time"), () => "")))
      : create(account, text, request.leftAt)
  }

  const describe = (request: PlatformRequest): string => {
    const text = textOf(request)
    if (text !== null) return `post “${text}”`
    return request.method === "GET" ? "timeline" : "new access"
  }

  return {
    name: "X",
    describe,
    answer: (request) => faults.answer(textOf(request), () => carryOut(request)),
    leaves: (machine, request) => {
      const account = holders.get(request.token)
      if (account === undefined) return
      const text = textOf(request)
      if (text !== null) promises.sends(machine, account.id, text)
      else if (request.method === "GET") promises.looks(machine, account.id)
    },
    arrives: (machine, request, { body }) => {
      const account = holders.get(request.token)
      if (account === undefined || !isTimeline(body)) return
      promises.shown(
        machine,
        account.id,
        body.data.map(({ text }) => text)
      )
    },
    connect: (accountId) => {
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
      grant(account)
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
