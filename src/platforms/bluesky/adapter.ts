import { DateTime, Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { OutcomeUnknown, type Publication, Rejected } from "../../domain/platformError.ts"
import { maxAttempts } from "../../domain/retryPolicy.ts"
import { blueskyText } from "../../domain/text/blueskyRichText.ts"
import { measureText } from "../../domain/text/textRules.ts"
import { type Call, readResponse } from "../call.ts"
import type { BlueskyConfig } from "../config.ts"
import { unansweredPost } from "../outcome.ts"
import type { Account, PlatformAdapter, Prepared, PublishRequest } from "../PlatformClient.ts"
import { preparedPostReader } from "../preparedPost.ts"
import { makeBlueskyApi } from "./api.ts"
import { resolveMentions } from "./mentions.ts"
import { postCollection, postRecord, PostRecord, recordKey } from "./postRecord.ts"
import { errorDetail, procedure, query, refusedPut, refusedReconciliation, xrpcError } from "./xrpc.ts"

/** `repo` is the DID of the account that the post was prepared for. */
const PreparedPost = Schema.Struct({ repo: Schema.NonEmptyString, rkey: Schema.NonEmptyString, record: PostRecord })
type PreparedPost = typeof PreparedPost.Type
const encodePrepared = Schema.encodeSync(PreparedPost)
const readPrepared = preparedPostReader("Bluesky", PreparedPost, ({ repo }) => repo)

const readStored = readResponse(Schema.Struct({ value: Schema.Struct({ text: Schema.String }) }))
const readPut = readResponse(Schema.Struct({ uri: Schema.NonEmptyString }))

/**
 * Bluesky: sending is idempotent, because the record and its key are fixed before the first send and the record is put only
 * if nothing has that key (`swapRecord: null`).
 */
export const makeBlueskyAdapter = (config: BlueskyConfig, call: Call): PlatformAdapter => {
  const api = makeBlueskyApi(config, call)

  const publication = (repo: string, rkey: string): Publication => ({
    platformPostId: `at://${repo}/${postCollection}/${rkey}`,
    url: `${config.webUrl}/profile/${repo}/post/${rkey}`
  })

  const prepare = Effect.fn("Bluesky.prepare")(function* (request: PublishRequest, account: Account) {
    const { length, limit, valid } = measureText("bluesky", request.text)
    if (!valid) {
      return yield* new Rejected({ message: `Bluesky takes texts of 1 to ${limit} characters; this one has ${length}` })
    }
    const text = blueskyText(request.text)
    const dids = yield* resolveMentions(call, yield* api.pds(account), text)
    const now = yield* DateTime.now
    return encodePrepared({
      repo: account.accountId,
      rkey: recordKey(request.targetId),
      record: postRecord(text, dids, now)
    })
  })

  const put = Effect.fn("Bluesky.put")(function* (
    { record, repo, rkey }: PreparedPost,
    account: Account,
    refused: typeof refusedPut
  ) {
    const response = yield* api
      .send(account, (pdsUrl) =>
        HttpClientRequest.bodyJsonUnsafe(procedure(pdsUrl, "com.atproto.repo.putRecord"), {
          repo,
          collection: postCollection,
          rkey,
          record,
          swapRecord: null
        })
      )
      .pipe(Effect.catchTag("NoResponse", unansweredPost))
    if (response.status !== 200) return yield* refused(response)
    if (Option.isNone(readPut(response))) {
      return yield* new OutcomeUnknown({ message: "Bluesky's response to the post can't be read" })
    }
    return publication(repo, rkey)
  })

  const publish = Effect.fnUntraced(function* (prepared: Prepared, account: Account) {
    return yield* put(yield* readPrepared.toPublish(prepared, account), account, refusedPut)
  })

  const reconcile = Effect.fnUntraced(function* (prepared: Prepared, account: Account) {
    const post = yield* readPrepared.toReconcile(prepared, account)
    return yield* put(post, account, refusedReconciliation).pipe(
      // That this request was not carried out says nothing about the earlier one.
      Effect.catchTag("Unavailable", ({ message }) => new OutcomeUnknown({ message }))
    )
  })

  /** The record under the post's key, if it has the same text: another text is another post. */
  const find = Effect.fn("Bluesky.find")(function* (prepared: Prepared, account: Account) {
    const { record, repo, rkey } = yield* readPrepared.toReconcile(prepared, account)
    const response = yield* api
      .send(account, (pdsUrl) =>
        query(pdsUrl, "com.atproto.repo.getRecord", { repo, collection: postCollection, rkey })
      )
      .pipe(Effect.catchTag("NoResponse", ({ message }) => new OutcomeUnknown({ message })))
    if (xrpcError(response)?.error === "RecordNotFound") return Option.none<Publication>()
    const stored = response.status === 200 ? readStored(response) : Option.none()
    if (Option.isNone(stored)) {
      return yield* new OutcomeUnknown({
        message: `Bluesky did not say whether the post exists: ${errorDetail(response)}`
      })
    }
    return stored.value.value.text === record.text ? Option.some(publication(repo, rkey)) : Option.none()
  })

  return { maxReconcileAttempts: maxAttempts, prepare, publish, reconcile, find }
}
