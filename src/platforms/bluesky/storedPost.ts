import { Data, Effect, Option, Schema } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { NeedsReauthorization, OutcomeUnknown, type PlatformError } from "../../domain/publishing/platformError.ts"
import { postText } from "./rules/richText.ts"
import { readResponse } from "../call.ts"
import type { Account } from "../PlatformClient.ts"
import type { BlueskyApi } from "./api.ts"
import { platformDetail } from "../platformText.ts"
import { postCollection } from "./postRecord.ts"
import { knownCid } from "./syntax.ts"
import { query, refusedRead, xrpcError } from "./xrpc.ts"

/** What an account's repository has under the key of a post: that post, another one, or none that it shows. */
export type Stored = Data.TaggedEnum<{
  Post: { readonly cid: string | null }
  Other: {}
  None: {}
}>
const { None, Other, Post } = Data.taggedEnum<Stored>()

/** Where a post is in an account's repository. */
export interface PostKey {
  readonly repo: string
  readonly rkey: string
}

/** A post by its key and text. */
export interface KeyedPost extends PostKey {
  readonly record: { readonly text: string }
}

const StoredRecord = Schema.Struct({
  cid: Schema.optionalKey(Schema.Unknown),
  value: Schema.Struct({ text: Schema.String })
})
type StoredRecord = typeof StoredRecord.Type
const readRecord = readResponse(StoredRecord)
const readStatus = readResponse(
  Schema.Struct({ active: Schema.Boolean, status: Schema.optionalKey(Schema.NullOr(Schema.String)) })
)

/** An earlier version of this service sent texts as they were written. */
const isSameText = (one: string, other: string): boolean => postText(one) === postText(other)

/** The reads that tell whether a post is in its account's repository. */
export const makeStoredPosts = (api: BlueskyApi) => {
  const read = (account: Account, method: string, params: Readonly<Record<string, string>>) =>
    api
      .send(account, (pdsUrl) => query(pdsUrl, method, params))
      .pipe(Effect.catchTag("NoResponse", ({ message }) => new OutcomeUnknown({ message })))

  /** The record that a key holds; none where the PDS shows none. */
  const getStored = Effect.fn("Bluesky.getRecord")(function* (
    { repo, rkey }: PostKey,
    account: Account
  ): Effect.fn.Return<Option.Option<StoredRecord>, PlatformError | DatabaseUnavailable> {
    const response = yield* read(account, "com.atproto.repo.getRecord", { repo, collection: postCollection, rkey })
    if (xrpcError(response)?.error === "RecordNotFound") return Option.none()
    const stored = response.status === 200 ? readRecord(response) : Option.none()
    return Option.isSome(stored) ? stored : yield* refusedRead(response)
  })

  /** What the key of a post holds, by the post's text. */
  const getRecord = (post: KeyedPost, account: Account): Effect.Effect<Stored, PlatformError | DatabaseUnavailable> =>
    Effect.map(
      getStored(post, account),
      Option.match({
        onNone: () => None(),
        onSome: ({ cid, value }) => (isSameText(value.text, post.record.text) ? Post({ cid: knownCid(cid) }) : Other())
      })
    )

  /** Fails unless the account is open: for any other, a PDS shows no record, whether there is one or not. */
  const requireOpen = Effect.fn("Bluesky.getRepoStatus")(function* (repo: string, account: Account) {
    const response = yield* read(account, "com.atproto.sync.getRepoStatus", { did: repo })
    const known = response.status === 200 ? readStatus(response) : Option.none()
    if (Option.isNone(known)) return yield* refusedRead(response)
    const { active, status } = known.value
    if (active) return
    return yield* new NeedsReauthorization({
      message: `Bluesky has closed this account (${platformDetail(status ?? "") || "inactive"}); connect it again once it is open`
    })
  })

  /** What the key of a post holds. None means that the post is not there, and not that its account is closed. */
  const findRecord = Effect.fnUntraced(function* (
    post: KeyedPost,
    account: Account
  ): Effect.fn.Return<Stored, PlatformError | DatabaseUnavailable> {
    const stored = yield* getRecord(post, account)
    if (stored._tag === "None") yield* requireOpen(post.repo, account)
    return stored
  })

  /** The content id of a post, whatever its text; none if it is not there. */
  const findCid = Effect.fnUntraced(function* (key: PostKey, account: Account) {
    const stored = yield* getStored(key, account)
    if (Option.isNone(stored)) yield* requireOpen(key.repo, account)
    return Option.map(stored, ({ cid }) => knownCid(cid))
  })

  return { getRecord, findRecord, findCid }
}

export type StoredPosts = ReturnType<typeof makeStoredPosts>
