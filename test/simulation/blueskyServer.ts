import { Function, Redacted, Schema } from "effect"
import { encodeSession } from "../../src/platforms/bluesky/session.ts"
import type { PlatformAnswer, PlatformRequest, PlatformServer } from "./network.ts"
import { makePlatformFaults } from "./platformFaults.ts"
import type { Promises } from "./promises.ts"
import type { World } from "./world.ts"

interface BlueskyAccount {
  readonly did: string
  /** What stands under each key, as JSON. */
  readonly records: Map<string, string>
  access: string
  accessUntil: number
  refresh: string
  revoked: boolean
  closed: boolean
}

/** Stands for a PDS: the same put can be repeated, and makes a record only where nothing has its key. */
export interface BlueskyServer extends PlatformServer {
  /** Makes a session as a person would, and answers the credentials. */
  readonly connect: (did: string) => string
  /** A person ends the session. */
  readonly revoke: (did: string) => void
  /** The PDS closes an account, or opens it again. */
  readonly setClosed: (did: string, closed: boolean) => void
}

const decodePut = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      rkey: Schema.String.check(Schema.isPattern(/^[234567abcdefghij][234567a-z]{12}$/)),
      record: Schema.Struct({ text: Schema.String, createdAt: Schema.String }),
      swapRecord: Schema.Null
    })
  )
)

const accessLasts = 2 * 60 * 60 * 1000

const error = (status: number, name: string): PlatformAnswer => ({ status, body: { error: name, message: name } })
const refusal = error(400, "InvalidRequest")

/** The record that a request would put; null where it puts none. */
const putOf = Function.memoize(({ body, path }: PlatformRequest) =>
  path.endsWith("com.atproto.repo.putRecord") ? decodePut(body) : null
)

const textOf = (request: PlatformRequest) => putOf(request)?.record.text ?? null

export const makeBlueskyServer = (world: World, promises: Promises): BlueskyServer => {
  const accounts = new Map<string, BlueskyAccount>()
  const faults = makePlatformFaults(world, "ratelimit-reset", refusal)
  /** Every token that was ever given out. */
  const holders = new Map<string, BlueskyAccount>()
  let last = 0

  const grant = (account: BlueskyAccount): void => {
    last += 1
    account.access = `session-${last}`
    account.refresh = `renewal-${last}`
    account.accessUntil = world.now() + accessLasts
    account.revoked = false
    holders.set(account.access, account).set(account.refresh, account)
  }

  const put = (
    account: BlueskyAccount,
    { record, rkey }: ReturnType<typeof decodePut>,
    leftAt: number
  ): PlatformAnswer => {
    const written = JSON.stringify(record)
    const stands = account.records.get(rkey)
    if (stands !== undefined && stands !== written) return error(400, "InvalidSwap")
    if (stands === undefined) {
      account.records.set(rkey, written)
      promises.accepted(account.did, record.text, leftAt)
    }
    return { status: 200, body: { uri: `at://${account.did}/app.bsky.feed.post/${rkey}` } }
  }

  const renew = (token: string): PlatformAnswer => {
    const account = holders.get(token)
    if (account === undefined || account.revoked) return error(401, "ExpiredToken")
    // A refresh token that was used still works for a while, and gives the same new one.
    if (account.refresh === token) grant(account)
    const { access, did, refresh } = account
    return { status: 200, body: { accessJwt: access, refreshJwt: refresh, did, handle: "team" } }
  }

  const carryOut = (request: PlatformRequest): PlatformAnswer => {
    if (request.path.endsWith("com.atproto.server.refreshSession")) return renew(request.token)
    const account = holders.get(request.token)
    if (account === undefined || account.revoked) return error(400, "InvalidToken")
    if (account.access !== request.token || account.accessUntil <= world.now()) return error(400, "ExpiredToken")
    if (account.closed) return error(401, "AccountTakedown")
    return put(account, putOf(request) ?? decodePut(request.body), request.leftAt)
  }

  return {
    name: "Bluesky",
    describe: (request) => {
      const text = textOf(request)
      return text === null ? "new session" : `put “${text}”`
    },
    answer: (request) => faults.answer(textOf(request), () => carryOut(request)),
    leaves: (machine, request) => {
      const account = holders.get(request.token)
      const text = textOf(request)
      if (account !== undefined && text !== null) promises.sends(machine, account.did, text)
    },
    arrives: () => {},
    connect: (did) => {
      const known = accounts.get(did)
      const account = known ?? {
        did,
        records: new Map(),
        access: "",
        accessUntil: 0,
        refresh: "",
        revoked: true,
        closed: false
      }
      accounts.set(did, account)
      grant(account)
      return Redacted.value(encodeSession({ accessJwt: account.access, refreshJwt: account.refresh, pdsUrl: null }))
    },
    revoke: (did) => {
      const account = accounts.get(did)
      if (account !== undefined) account.revoked = true
    },
    setClosed: (did, closed) => {
      const account = accounts.get(did)
      if (account !== undefined) account.closed = closed
    }
  }
}
