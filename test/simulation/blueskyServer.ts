import { Function, Option, Redacted, Schema } from "effect"
import { UrlParams } from "effect/http"
import { encodeSession } from "../../src/platforms/bluesky/session.ts"
import { blobReference } from "../../src/platforms/bluesky/contentId.ts"
import { type AccessLifetimes, usualLifetime } from "./accessLifetimes.ts"
import type { Invariants } from "./invariants.ts"
import { hashOfBody } from "./library.ts"
import type { PlatformRequest, PlatformServer, ServerResponse } from "./network.ts"
import { makePlatformFaults } from "./platformFaults.ts"
import type { World } from "./world.ts"

interface BlueskyAccount {
  readonly did: string
  /** JSON by record key. */
  readonly records: Map<string, string>
  /** The references of uploads. */
  readonly blobs: Set<string>
  access: string
  accessUntil: number
  refresh: string
  revoked: boolean
  closed: boolean
}

/** A simulated Bluesky PDS. Publishing is idempotent, because a put creates a record only if its key is free. */
export interface BlueskyServer extends PlatformServer {
  /** Returns the credentials. */
  readonly authorize: (did: string) => string
  readonly revoke: (did: string) => void
  /** The PDS takes an account down, or reinstates it. */
  readonly setClosed: (did: string, closed: boolean) => void
}

const Images = Schema.Struct({
  images: Schema.Array(Schema.Struct({ image: Schema.Struct({ ref: Schema.Struct({ $link: Schema.String }) }) }))
})

const Reference = Schema.Struct({ uri: Schema.String, cid: Schema.String })

/** Differs for each text, time and key. */
const cidOf = (rkey: string, json: string) => blobReference(hashOfBody(`${rkey} ${json}`))

const decodePut = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      rkey: Schema.String.check(Schema.isPattern(/^[234567abcdefghij][234567a-z]{12}$/)),
      record: Schema.Struct({
        text: Schema.String,
        createdAt: Schema.String,
        embed: Schema.optionalKey(Images),
        reply: Schema.optionalKey(Schema.Struct({ root: Reference, parent: Reference }))
      }),
      swapRecord: Schema.Null
    })
  )
)

const error = (status: number, name: string): ServerResponse => ({ status, body: { error: name, message: name } })
const rejection = error(400, "InvalidRequest")

/** Times are in milliseconds. */
const jwtOf = (givenAt: number, says: number, id: number) => {
  const iat = Math.floor(givenAt / 1000)
  return `jwt.${Buffer.from(JSON.stringify({ iat, exp: iat + says / 1000 })).toString("base64url")}.${id}`
}

/** Null for other requests. */
const putOf = Function.memoize(({ body, path }: PlatformRequest) =>
  path.endsWith("com.atproto.repo.putRecord") ? decodePut(body) : null
)

const isUpload = ({ path }: PlatformRequest) => path.endsWith("com.atproto.repo.uploadBlob")

const textOf = (request: PlatformRequest) => putOf(request)?.record.text ?? null

export const makeBlueskyServer = (
  world: World,
  invariants: Invariants,
  lifetimes: AccessLifetimes | undefined
): BlueskyServer => {
  const accounts = new Map<string, BlueskyAccount>()
  const faults = makePlatformFaults(world, "ratelimit-reset", rejection)
  /** Every token that was ever issued. */
  const accountsByToken = new Map<string, BlueskyAccount>()
  let last = 0

  const issueTokens = (account: BlueskyAccount): void => {
    last += 1
    const { lasts, says } = lifetimes?.draw() ?? { lasts: usualLifetime, says: undefined }
    account.access = says === undefined ? `session-${last}` : jwtOf(world.now(), says, last)
    account.refresh = `renewal-${last}`
    account.accessUntil = world.now() + lasts
    account.revoked = false
    accountsByToken.set(account.access, account).set(account.refresh, account)
  }

  /** The record key that a reply names, if the record matches. A PDS does not check that. */
  const repliedKey = (account: BlueskyAccount, { cid, uri }: typeof Reference.Type): string => {
    const rkey = uri.slice(`at://${account.did}/app.bsky.feed.post/`.length)
    const stored = account.records.get(rkey)
    const isThere = stored !== undefined && cidOf(rkey, stored) === cid
    if (!isThere) world.violate(`a record of ${account.did} replies to ${uri}, which is not there as ${cid}`)
    return rkey
  }

  const put = (
    account: BlueskyAccount,
    { record, rkey }: ReturnType<typeof decodePut>,
    request: PlatformRequest
  ): ServerResponse => {
    const json = JSON.stringify(record)
    const stored = account.records.get(rkey)
    if (stored !== undefined && stored !== json) return error(400, "InvalidSwap")
    if (stored === undefined) {
      const references = (record.embed?.images ?? []).map(({ image }) => image.ref.$link)
      if (references.length > 0 && world.injects("upload forgotten"))
        for (const each of references) account.blobs.delete(each)
      if (references.some((each) => !account.blobs.has(each))) {
        // A PDS that has lost a blob's file fails in another way than a PDS that does not know it.
        return world.prng.chance(0.5) ? error(400, "BlobNotFound") : error(500, "InternalServerError")
      }
      account.records.set(rkey, json)
      const { parent, root } = record.reply ?? {}
      const reply =
        parent === undefined || root === undefined
          ? null
          : { parent: repliedKey(account, parent), root: repliedKey(account, root) }
      invariants.onAccepted(request, record.text, rkey, { files: references.length, reply })
    }
    const uri = `at://${account.did}/app.bsky.feed.post/${rkey}`
    return { status: 200, body: { uri, cid: cidOf(rkey, json) } }
  }

  const uploadBlob = (account: BlueskyAccount, { body }: PlatformRequest): ServerResponse => {
    const $link = blobReference(hashOfBody(body))
    account.blobs.add($link)
    const blob = { $type: "blob", ref: { $link }, mimeType: "image/png", size: Buffer.byteLength(body) }
    return { status: 200, body: { blob } }
  }

  const refreshSession = (token: string): ServerResponse => {
    const account = accountsByToken.get(token)
    if (account === undefined || account.revoked) return error(401, "ExpiredToken")
    // A used refresh token works for a while, and returns the same successor.
    if (account.refresh === token) issueTokens(account)
    const { access, did, refresh } = account
    return { status: 200, body: { accessJwt: access, refreshJwt: refresh, did, handle: "team.example" } }
  }

  const getRecord = ({ params }: PlatformRequest): ServerResponse => {
    const param = (name: string) => Option.getOrElse(UrlParams.getFirst(params, name), () => "")
    const record = accounts.get(param("repo"))?.records.get(param("rkey"))
    return record === undefined
      ? error(400, "RecordNotFound")
      : { status: 200, body: { uri: param("rkey"), cid: cidOf(param("rkey"), record), value: JSON.parse(record) } }
  }

  const getRepoStatus = ({ params }: PlatformRequest): ServerResponse => {
    const account = accounts.get(Option.getOrElse(UrlParams.getFirst(params, "did"), () => ""))
    if (account === undefined) return error(400, "RepoNotFound")
    return { status: 200, body: { did: account.did, active: !account.closed } }
  }

  const execute = (request: PlatformRequest): ServerResponse => {
    if (request.path.endsWith("com.atproto.repo.getRecord")) return getRecord(request)
    if (request.path.endsWith("com.atproto.sync.getRepoStatus")) return getRepoStatus(request)
    if (request.path.endsWith("com.atproto.server.refreshSession")) return refreshSession(request.token)
    const account = accountsByToken.get(request.token)
    if (account === undefined || account.revoked) return error(400, "InvalidToken")
    if (account.access !== request.token || account.accessUntil <= world.now()) return error(400, "ExpiredToken")
    if (account.closed) return error(401, "AccountTakedown")
    if (isUpload(request)) return uploadBlob(account, request)
    return put(account, putOf(request) ?? decodePut(request.body), request)
  }

  return {
    name: "Bluesky",
    isRenewal: ({ path }) => path.endsWith("com.atproto.server.refreshSession"),
    describe: (request) => {
      const text = textOf(request)
      if (text !== null) return `put “${text}”`
      if (isUpload(request)) return "upload"
      return request.method === "GET" ? "look" : "new session"
    },
    handle: (request) => faults.handle(textOf(request), () => execute(request)),
    onSend: (process, request) => {
      const account = accountsByToken.get(request.token)
      const text = textOf(request)
      if (account !== undefined && text !== null) invariants.onSend(process, request, account.did, text)
    },
    onResponse: () => {},
    authorize: (did) => {
      const known = accounts.get(did)
      const account = known ?? {
        did,
        records: new Map(),
        blobs: new Set(),
        access: "",
        accessUntil: 0,
        refresh: "",
        revoked: true,
        closed: false
      }
      accounts.set(did, account)
      issueTokens(account)
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
