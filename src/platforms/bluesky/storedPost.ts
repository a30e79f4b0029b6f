import { Data, type DateTime, Effect, Option, Result, Schema } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { NeedsReauthorization, OutcomeUnknown, type PlatformError } from "../../domain/publishing/platformError.ts"
import { postText } from "./rules/richText.ts"
import { type Answer, readResponse } from "../call.ts"
import { carryOut } from "../carryOut.ts"
import { failAt } from "../outcome.ts"
import type { Account } from "../PlatformClient.ts"
import { end, fail, type OpenAccess, type Step } from "../steps.ts"
import type { BlueskyApi } from "./api.ts"
import { platformDetail } from "../platformText.ts"
import { postCollection } from "./postRecord.ts"
import { knownCid } from "./syntax.ts"
import { query, refusedRead, xrpcError } from "./xrpc.ts"

export type Stored = Data.TaggedEnum<{
  Post: { readonly cid: string | null }
  Other: {}
  None: {}
}>
const { None, Other, Post } = Data.taggedEnum<Stored>()

export interface PostKey {
  readonly repo: string
  readonly rkey: string
}

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

/**
 * Compares the texts as Bluesky's app posts them, because an earlier version of this service sent texts as they were
 * written.
 */
const isSameText = (one: string, other: string): boolean => postText(one) === postText(other)

const recordIn = (answer: Answer, now: DateTime.Utc): Result.Result<Option.Option<StoredRecord>, PlatformError> => {
  if (Result.isFailure(answer)) return Result.fail(new OutcomeUnknown({ message: answer.failure.message }))
  const response = answer.success
  if (xrpcError(response)?.error === "RecordNotFound") return Result.succeedNone
  const stored = response.status === 200 ? readRecord(response) : Option.none()
  return Option.isSome(stored) ? Result.succeed(stored) : Result.fail(refusedRead(response, now))
}

export const makeStoredPosts = (api: BlueskyApi) => {
  const readKey = <A, E>(
    { repo, rkey }: PostKey,
    access: OpenAccess,
    next: (stored: Option.Option<StoredRecord>) => Step<A, E>
  ) =>
    api.authorized<A, E | PlatformError>(
      {
        request: (pdsUrl) => query(pdsUrl, "com.atproto.repo.getRecord", { repo, collection: postCollection, rkey }),
        shows: "nothing",
        next: (answer, now) => {
          const stored = recordIn(answer, now)
          return Result.isFailure(stored) ? fail(stored.failure) : next(stored.success)
        }
      },
      access
    )

  const readPost = <A, E>(post: KeyedPost, access: OpenAccess, next: (stored: Stored) => Step<A, E>) =>
    readKey(post, access, (stored) => {
      if (Option.isNone(stored)) return next(None())
      const { cid, value } = stored.value
      return next(isSameText(value.text, post.record.text) ? Post({ cid: knownCid(cid) }) : Other())
    })

  const getRecord = Effect.fn("Bluesky.getRecord")((post: KeyedPost, account: Account) =>
    carryOut(api, account, (access) => readPost(post, access, (stored) => end(Result.succeed(stored))))
  )

  /** Fails if the account is not open, because a PDS then shows no record. */
  const requireOpen = Effect.fn("Bluesky.getRepoStatus")(function* (repo: string, account: Account) {
    const response = yield* api
      .send(account, (pdsUrl) => query(pdsUrl, "com.atproto.sync.getRepoStatus", { did: repo }))
      .pipe(Effect.catchTag("NoResponse", ({ message }) => new OutcomeUnknown({ message })))
    const known = response.status === 200 ? readStatus(response) : Option.none()
    if (Option.isNone(known)) return yield* failAt((now) => refusedRead(response, now))
    const { active, status } = known.value
    if (active) return
    return yield* new NeedsReauthorization({
      message: `Bluesky has closed this account (${platformDetail(status ?? "") || "inactive"}); connect it again once it is open`
    })
  })

  const findRecord = Effect.fnUntraced(function* (
    post: KeyedPost,
    account: Account
  ): Effect.fn.Return<Stored, PlatformError | DatabaseUnavailable> {
    const stored = yield* getRecord(post, account)
    if (stored._tag === "None") yield* requireOpen(post.repo, account)
    return stored
  })

  /** A post's content id, whatever its text; none if it is not there. */
  const findCid = Effect.fnUntraced(function* (key: PostKey, account: Account) {
    const stored = yield* carryOut(api, account, (access) =>
      readKey(key, access, (record) => end(Result.succeed(record)))
    )
    if (Option.isNone(stored)) yield* requireOpen(key.repo, account)
    return Option.map(stored, ({ cid }) => knownCid(cid))
  })

  return { readPost, getRecord, findRecord, findCid }
}

export type StoredPosts = ReturnType<typeof makeStoredPosts>
