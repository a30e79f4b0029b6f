import { DateTime, Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { blueskyText } from "../../domain/text/blueskyRichText.ts"
import { OutcomeUnknown, type Publication, Rejected } from "../../domain/platformError.ts"
import { maxAttempts } from "../../domain/retryPolicy.ts"
import { measureText } from "../../domain/text/textRules.ts"
import { type Call, readResponse } from "../call.ts"
import type { Account, PublishRequest, PlatformAdapter, Prepared } from "../PlatformClient.ts"
import { makeBlueskyApi } from "./api.ts"
import type { BlueskyConfig } from "./config.ts"
import { resolveMentions } from "./mentions.ts"
import { lookedForOn, sentFrom } from "../preparedFor.ts"
import { unanswered } from "../unanswered.ts"
import { postCollection, postRecord, PostRecord } from "./postRecord.ts"
import { recordKey } from "./recordKey.ts"
import { procedure, refusedReconciliation, refusedPut } from "./xrpc.ts"

/** `repo` is the DID of the account that the post was prepared for. */
const PreparedPost = Schema.Struct({ repo: Schema.NonEmptyString, rkey: Schema.NonEmptyString, record: PostRecord })
type PreparedPost = typeof PreparedPost.Type
const encodePrepared = Schema.encodeSync(PreparedPost)
const decodePrepared = Schema.decodeUnknownOption(PreparedPost)

const unreadable = { message: "What was prepared for Bluesky can't be read" }

const readPut = readResponse(Schema.Struct({ uri: Schema.NonEmptyString }))

/**
 * Bluesky: the record and its key are fixed before the first send, so the same call can be made any number of times and
 * there is one post. It is made only where nothing has the key (`swapRecord: null`).
 */
export const makeBlueskyAdapter = (config: BlueskyConfig, call: Call): PlatformAdapter => {
  const api = makeBlueskyApi(config, call)

  const prepare = Effect.fn("Bluesky.prepare")(function* (message: PublishRequest, account: Account) {
    const { length, limit, valid } = measureText("bluesky", message.text)
    if (!valid)
      return yield* new Rejected({ message: `Bluesky takes texts of 1 to ${limit} characters; this one has ${length}` })
    const text = blueskyText(message.text)
    const dids = yield* resolveMentions(call, yield* api.pds(account), text)
    const now = yield* DateTime.now
    return encodePrepared({
      repo: account.accountId,
      rkey: recordKey(message.targetId, now),
      record: postRecord(text, dids, now)
    })
  })

  const put = Effect.fn("Bluesky.put")(function* (
    { record, repo, rkey }: PreparedPost,
    account: Account,
    refused: typeof refusedPut
  ) {
    const answer = yield* api
      .send(account, (pdsUrl) =>
        HttpClientRequest.bodyJsonUnsafe(procedure(pdsUrl, "com.atproto.repo.putRecord"), {
          repo,
          collection: postCollection,
          rkey,
          record,
          swapRecord: null
        })
      )
      .pipe(Effect.catchTag("NoResponse", (error) => Effect.fail(unanswered(error))))
    if (answer.status !== 200) return yield* Effect.flatMap(refused(answer), Effect.fail)
    if (Option.isNone(readPut(answer))) {
      return yield* new OutcomeUnknown({ message: "Bluesky's answer to the post can't be read" })
    }
    return {
      platformPostId: `at://${repo}/${postCollection}/${rkey}`,
      url: `${config.webUrl}/profile/${repo}/post/${rkey}`
    } satisfies Publication
  })

  const publish = Effect.fnUntraced(function* (prepared: Prepared, account: Account) {
    const post = decodePrepared(prepared)
    if (Option.isNone(post)) return yield* new Rejected(unreadable)
    yield* sentFrom(account, post.value.repo)
    return yield* put(post.value, account, refusedPut)
  })

  const reconcile = Effect.fnUntraced(function* (prepared: Prepared, account: Account) {
    const post = decodePrepared(prepared)
    if (Option.isNone(post)) return yield* new OutcomeUnknown(unreadable)
    yield* lookedForOn(account, post.value.repo)
    return yield* put(post.value, account, refusedReconciliation).pipe(
      // That this call did not arrive says nothing of the earlier one.
      Effect.catchTag("Unavailable", (error) => Effect.fail(new OutcomeUnknown({ message: error.message })))
    )
  })

  return { maxReconcileAttempts: maxAttempts, prepare, publish, reconcile }
}
