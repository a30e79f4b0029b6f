import { Function, Option, Redacted, Schema } from "effect"
import { UrlParams } from "effect/http"
import { encodeTokens } from "../../src/platforms/twitter/tokens.ts"
import type { AccessChecks } from "./accessChecks.ts"
import { type AccessLifetimes, usualLifetime } from "./accessLifetimes.ts"
import type { Invariants } from "./invariants.ts"
import type { PlatformRequest, PlatformServer, ServerResponse } from "./network.ts"
import { makePlatformFaults } from "./platformFaults.ts"
import type { Process } from "./process.ts"
import { makePostLimit } from "./postLimit.ts"
import { hour, type World } from "./world.ts"

interface Tweet {
  readonly id: string
  readonly text: string
  readonly at: number
  /** The timeline lags. */
  readonly visibleFrom: number
  readonly media: ReadonlyArray<string>
  /** The id of the first post of its thread. */
  readonly conversation: string
  /** The time from which others can reply to it. */
  readonly repliesFrom: number
}

interface XAccount {
  readonly id: string
  readonly tweets: Array<Tweet>
  access: string
  accessUntil: number
  /** In milliseconds; undefined if it was left out. */
  says: number | undefined
  refresh: string
  revoked: boolean
  closed: boolean
}

/** A simulated X: publishing is not idempotent, though X may reject duplicates, and the timeline lags. */
export interface XServer extends PlatformServer {
  /** Returns the credentials. */
  readonly authorize: (accountId: string) => string
  readonly revoke: (accountId: string) => void
  /** X suspends an account, or reinstates it. */
  readonly setClosed: (accountId: string, closed: boolean) => void
}

const decodePost = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      text: Schema.String,
      media: Schema.optionalKey(Schema.Struct({ media_ids: Schema.Array(Schema.String) })),
      reply: Schema.optionalKey(Schema.Struct({ in_reply_to_tweet_id: Schema.String }))
    })
  )
)

/** An account's upload, and the time until which X keeps it without a post. */
interface Upload {
  readonly account: XAccount
  until: number
}

const problem = { type: "about:blank" }
/** X's own refusal of a refresh token. An intermediary's 400 says nothing about the account. */
const invalidGrant: ServerResponse = {
  status: 400,
  body: { error: "invalid_grant", error_description: "The token was invalid." }
}
const unauthorized: ServerResponse = {
  status: 401,
  body: { ...problem, title: "Unauthorized", detail: "Unauthorized" }
}
const rejection: ServerResponse = {
  status: 403,
  body: { ...problem, title: "Forbidden", detail: "You may not do this." }
}
const suspended: ServerResponse = {
  status: 403,
  body: { ...problem, title: "Forbidden", detail: "Your account is suspended." }
}
const overloaded: ServerResponse = {
  status: 503,
  body: { ...problem, title: "Service Unavailable", detail: "Wait and retry." }
}
const duplicate: ServerResponse = {
  status: 403,
  body: { ...problem, title: "Forbidden", detail: "You are not allowed to create a Tweet with duplicate content." }
}

const unknownMedia: ServerResponse = {
  status: 400,
  body: { ...problem, title: "Invalid Request", detail: "Your media IDs are invalid." }
}

const unseenParent: ServerResponse = {
  status: 403,
  body: {
    ...problem,
    title: "Forbidden",
    detail: "You attempted to reply to a Tweet that is deleted or not visible to you.",
    errors: [{ code: 385, message: "You attempted to reply to a Tweet that is deleted or not visible to you." }]
  }
}

const isTimeline = Schema.is(Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) }))

const isPost = ({ method, path }: PlatformRequest) => method === "POST" && path === "/2/tweets"

/**
 * After a request for new tokens, its process alone has the right to renew the account, for half of the lease. In
 * milliseconds.
 */
const alone = 30_000

const refreshTokenOf = ({ body, path }: PlatformRequest) =>
  path === "/2/oauth2/token" ? (new URLSearchParams(body).get("refresh_token") ?? undefined) : undefined

const isUpload = ({ path }: PlatformRequest) => path.startsWith("/2/media/")

/** Null if the request publishes nothing. */
const textOf = Function.memoize((request: PlatformRequest) => (isPost(request) ? decodePost(request.body).text : null))

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
    /** The usual lifetime if absent. */
    readonly lifetimes: AccessLifetimes | undefined
    readonly checks: AccessChecks
  }
): XServer => {
  const accounts = new Map<string, XAccount>()
  const faults = makePlatformFaults(world, "x-rate-limit-reset", rejection, {
    response: overloaded,
    // Otherwise a copy of the post would be published.
    mayBeTaken: rejectsDuplicates,
    take: (execute, after) => {
      shownAfter = after
      execute()
      shownAfter = undefined
    }
  })
  /** The delay until the current post is shown; undefined to draw it. */
  let shownAfter: number | undefined
  /** The uses of refresh tokens. `isAnswered` if new tokens were given. */
  const uses: Array<{ readonly token: string; readonly process: Process; readonly at: number; isAnswered: boolean }> =
    []

  /** After a process got new tokens, no other process may use the spent token while its lease lasts. */
  const checkUses = (token: string) => {
    const own = uses.filter((use) => use.token === token)
    for (const { at, isAnswered, process } of own) {
      const isShared = own.some((other) => other.process !== process && other.at >= at && other.at < at + alone)
      if (isAnswered && isShared && process.isAlive()) world.violate(`${process.name} does not renew an account alone`)
    }
  }

  /** Every token that was ever issued. */
  const accountsByToken = new Map<string, XAccount>()
  let last = 0

  /** Usually some minutes; sometimes hours, which is longer than reconciliation goes on. */
  const drawLag = () => world.prng.between(20_000, world.prng.chance(0.8) ? 900_000 : 6 * hour)

  /** X may not show a post to its replies at first. Drawn only for threads. */
  const lagsReplies = !faultFree && world.threads.chance(0.5)
  const repliesLag = () => lagsReplies && world.threads.chance(0.3)

  /**
   * Some accounts take few posts in a quarter of an hour, though never fewer than the longest thread has, and say so.
   */
  const postLimit =
    hasThreads && !faultFree && world.threads.chance(0.4)
      ? makePostLimit(world, world.threads.between(6, 9))
      : undefined

  const issueTokens = (account: XAccount): void => {
    last += 1
    account.access = `access-${last}`
    account.refresh = `refresh-${last}`
    const { lasts, says } = lifetimes?.draw() ?? { lasts: usualLifetime, says: undefined }
    account.accessUntil = world.now() + lasts
    account.says = says
    account.revoked = false
    accountsByToken.set(account.access, account).set(account.refresh, account)
  }

  const uploads = new Map<string, Upload>()
  const uploadLifetime = 24 * hour

  const upload = (account: XAccount, path: string): ServerResponse => {
    if (path.endsWith("/initialize")) {
      last += 1
      const id = String(last)
      uploads.set(id, { account, until: world.now() + uploadLifetime })
      return { status: 200, body: { data: { id, media_key: `3_${id}` } } }
    }
    const id = path.split("/").at(-2) ?? ""
    const known = uploads.get(id)
    if (known?.account !== account) return unknownMedia
    if (path.endsWith("/append")) return { status: 200, body: { data: {} } }
    known.until = world.now() + uploadLifetime
    return { status: 200, body: { data: { id, media_key: `3_${id}`, expires_after_secs: uploadLifetime / 1000 } } }
  }

  /** True if X has all of these files for the account. */
  const hasFiles = (account: XAccount, media: ReadonlyArray<string>) => {
    if (media.length > 0 && world.injects("upload forgotten")) for (const id of media) uploads.delete(id)
    return media.every((id) => {
      const known = uploads.get(id)
      return known?.account === account && known.until > world.now()
    })
  }

  const create = (account: XAccount, text: string, request: PlatformRequest): ServerResponse => {
    const { media: { media_ids: media = [] } = {}, reply } = decodePost(request.body)
    const parent = account.tweets.find(({ id }) => id === reply?.in_reply_to_tweet_id)
    if (reply !== undefined && (parent === undefined || parent.repliesFrom > world.now())) {
      world.count("reply too early")
      return unseenParent
    }
    if (!hasFiles(account, media)) return unknownMedia
    if (rejectsDuplicates && account.tweets.some((tweet) => tweet.text === text)) return duplicate
    const lag = world.injects("timeline lag") ? drawLag() : world.prng.between(0, 4000)
    last += 1
    const id = String(last)
    const tweet: Tweet = {
      id,
      text,
      at: world.now(),
      visibleFrom: world.now() + (shownAfter ?? lag),
      media,
      conversation: parent?.conversation ?? id,
      repliesFrom: world.now() + (repliesLag() ? world.threads.between(1000, 40_000) : 0)
    }
    account.tweets.push(tweet)
    const replied = parent === undefined ? null : { parent: parent.id, root: parent.conversation }
    invariants.onAccepted(request, text, id, { files: media.length, reply: replied })
    return { status: 201, body: { data: { id: tweet.id, text } } }
  }

  /** X appends a link of its own for the media to the text. */
  const shownMedia = (id: string, text: string, media: ReadonlyArray<string>) => {
    const url = `https://t.co/m${id}`
    return {
      text: `${text} ${url}`,
      attachments: { media_keys: media.map((each) => `3_${each}`) },
      entities: { urls: [{ url, expanded_url: `https://x.com/team/status/${id}/photo/1` }] }
    }
  }

  const timeline = (account: XAccount, since: number): ServerResponse => {
    const data = account.tweets
      .filter((tweet) => tweet.at >= since && tweet.visibleFrom <= world.now())
      .toReversed()
      .map(({ at, conversation, id, media, text }) => ({
        id,
        conversation_id: conversation,
        created_at: new Date(Math.floor(at / 1000) * 1000).toISOString(),
        ...(media.length === 0 ? { text } : shownMedia(id, text, media))
      }))
    return { status: 200, body: { data, meta: { result_count: data.length } } }
  }

  const refreshTokens = (refreshToken: string): ServerResponse => {
    const account = accountsByToken.get(refreshToken)
    if (account === undefined || account.revoked || account.refresh !== refreshToken) {
      // Reuse of a refresh token revokes every token that was issued from it.
      if (account !== undefined) account.revoked = true
      return invalidGrant
    }
    issueTokens(account)
    const expiry = account.says === undefined ? {} : { expires_in: account.says / 1000 }
    return { status: 200, body: { access_token: account.access, refresh_token: account.refresh, ...expiry } }
  }

  const execute = (request: PlatformRequest): ServerResponse => {
    if (request.path === "/2/oauth2/token") {
      return refreshTokens(new URLSearchParams(request.body).get("refresh_token") ?? "")
    }
    const account = accountsByToken.get(request.token)
    if (account === undefined || account.revoked || account.access !== request.token) return unauthorized
    if (account.accessUntil <= world.now()) return unauthorized
    if (account.closed) return suspended
    if (isUpload(request)) return upload(account, request.path)
    const text = textOf(request)
    if (text !== null && postLimit !== undefined) {
      return postLimit.use(account.id, () => create(account, text, request))
    }
    return text === null
      ? timeline(account, Date.parse(Option.getOrElse(UrlParams.getFirst(request.params, "start_time"), () => "")))
      : create(account, text, request)
  }

  const describe = (request: PlatformRequest): string => {
    const text = textOf(request)
    if (text !== null) return `post “${text}”`
    if (isUpload(request)) return "upload"
    return request.method === "GET" ? "timeline" : "new access"
  }

  return {
    name: "X",
    describe,
    isRenewal: (request) => refreshTokenOf(request) !== undefined,
    handle: (request) => faults.handle(textOf(request), () => execute(request)),
    onSend: (process, request) => {
      const token = refreshTokenOf(request)
      if (token !== undefined) {
        uses.push({ token, process, at: world.now(), isAnswered: false })
        checkUses(token)
      }
      const account = accountsByToken.get(request.token)
      if (account === undefined) return
      const text = textOf(request)
      if (text !== null) {
        checks.onSend(account.id, text)
        invariants.onSend(process, request, account.id, text, postLimit?.toldTo(process, account.id))
      } else if (request.method === "GET") invariants.onTimelineRequest(process, account.id)
    },
    onResponse: (process, request, response) => {
      const { body } = response
      const token = refreshTokenOf(request)
      const use = uses.findLast((each) => each.token === token && each.process === process)
      if (token !== undefined && use !== undefined && response.status === 200) {
        use.isAnswered = true
        checkUses(token)
      }
      const renewed = token === undefined || response !== invalidGrant ? undefined : accountsByToken.get(token)
      if (renewed !== undefined) checks.onRefused(process, renewed.id)
      const account = accountsByToken.get(request.token)
      if (account === undefined) return
      const text = textOf(request)
      if (text !== null && response === unauthorized) checks.onEnded(process, account.id, text)
      postLimit?.onResponse(process, account.id, response)
      if (!isTimeline(body)) return
      invariants.onTimeline(
        process,
        account.id,
        body.data.flatMap(({ id }) => account.tweets.find((tweet) => tweet.id === id)?.text ?? [])
      )
    },
    authorize: (accountId) => {
      const known = accounts.get(accountId)
      const account = known ?? {
        id: accountId,
        tweets: [],
        access: "",
        accessUntil: 0,
        says: undefined,
        refresh: "",
        revoked: true,
        closed: false
      }
      accounts.set(accountId, account)
      checks.onConnected(accountId)
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
