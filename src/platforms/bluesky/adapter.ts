import { DateTime, Duration, Effect, Option, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import {
  OutcomeUnknown,
  type PlatformError,
  type Publication,
  Rejected,
  UploadsGone
} from "../../domain/publishing/platformError.ts"
import { maxAttempts } from "../../domain/publishing/retryPolicy.ts"
import { richText } from "./rules/richText.ts"
import { measure } from "./rules/text.ts"
import { type Answer, readResponse } from "../call.ts"
import { carryOut, unwatched } from "../carryOut.ts"
import type { BlueskyConfig } from "./config.ts"
import { unansweredPost } from "../outcome.ts"
import type { Account, PlatformAdapter, Prepared, PublishRequest } from "../PlatformClient.ts"
import { preparedPostReader, requireFit, storedForm, uploadsReader } from "../preparedPost.ts"
import { span } from "../span.ts"
import { afterUnknown, end, fail, type OpenAccess, type Step } from "../steps.ts"
import { type BlueskyCalls, makeBlueskyApi } from "./api.ts"
import { withoutThumb } from "./cardEmbed.ts"
import { EmbeddedFile } from "./embed.ts"
import { BlueskyUploads, makeMediaUpload } from "./media.ts"
import { makeMentions, resolveMentions } from "./mentions.ts"
import { postCollection, postRecord, PostRecord, recordKey } from "./postRecord.ts"
import { currentQuote } from "./quote.ts"
import { withQuote } from "./quoteEmbed.ts"
import { createdAfter, makeReplies } from "./reply.ts"
import { makeStoredPosts } from "./storedPost.ts"
import { Cid, knownCid, RecordUri } from "./syntax.ts"
import { isBlobUnknown, isKeyTaken, lacksBlob, procedure, refusedPut } from "./xrpc.ts"

const storedAs = storedForm("BlueskyPost")

/** `repo` is the DID of the account that the post was prepared for. */
export const BlueskyPost = Schema.Struct({
  ...storedAs.fields,
  repo: Schema.NonEmptyString,
  rkey: Schema.NonEmptyString,
  record: PostRecord,
  files: Schema.optionalKey(Schema.Array(EmbeddedFile)),
  /** The record that the post quotes. */
  quote: Schema.optionalKey(Schema.Struct({ uri: RecordUri, cid: Cid })),
  thumb: Schema.optionalKey(Schema.Struct({ hash: Schema.String, contentType: Schema.String, size: Schema.Int }))
})
type BlueskyPost = typeof BlueskyPost.Type
const encodePrepared = Schema.encodeSync(BlueskyPost)
const readPrepared = preparedPostReader("Bluesky", BlueskyPost, ({ repo }) => repo)

const readUploads = uploadsReader("Bluesky", BlueskyUploads)
const textLimit = { platform: "Bluesky", measure, unit: "characters" }

const thumbOf = ({ card }: PublishRequest): Pick<BlueskyPost, "thumb"> => {
  const thumb = card?.thumb ?? null
  return thumb === null ? {} : { thumb: { hash: thumb.hash, contentType: thumb.content_type, size: thumb.size } }
}

const readPut = readResponse(Schema.Struct({ uri: RecordUri, cid: Schema.optionalKey(Schema.Unknown) }))

/** Sends are repeated only for this time. Later, the owner may have deleted the post, and a put would restore it. */
const repeatWindow = Duration.hours(1)

const anotherRecord = new Rejected({
  message: "Another record has the key of this post on Bluesky, and it was left as it is"
})

const putRequest =
  ({ quote, record, repo, rkey }: BlueskyPost) =>
  (pdsUrl: string) =>
    HttpClientRequest.bodyJsonUnsafe(procedure(pdsUrl, "com.atproto.repo.putRecord"), {
      repo,
      collection: postCollection,
      rkey,
      record: withQuote(record, quote),
      swapRecord: null
    })

type Put = Step<Publication, PutFailure>
type PutFailure = PlatformError | UploadsGone | DatabaseUnavailable

/** Selects the step after a put, which was sent with `access`. */
type Next = (answer: Answer, now: DateTime.Utc, access: OpenAccess) => Put

/** Uploads a record's files again. UploadsGone if the new references differ from the record's. */
const uploadAgain = (
  files: ReadonlyArray<EmbeddedFile>,
  next: (failure: PutFailure | undefined, access: OpenAccess) => Put
): Put => ({
  _tag: "Files",
  files,
  next: (references, access) => {
    if (Result.isFailure(references)) return next(references.failure, access)
    const isSame = references.success.every((reference, index) => reference === files[index]?.blob.ref.$link)
    const changed = "Bluesky stores a file of this post under a different reference than before"
    return next(isSame ? undefined : new UploadsGone({ message: changed }), access)
  }
})

/** True if an error applies to every put of this record: a refusal of the record, or an unknown outcome. */
const judgesRecord = ({ _tag }: PutFailure): boolean =>
  _tag === "Rejected" || _tag === "UploadsGone" || _tag === "OutcomeUnknown"

const sendSpan = "Bluesky.put"

/**
 * Sending is idempotent: record and key are fixed before the first send, and a put requires that nothing has the key
 * (`swapRecord: null`).
 */
export const makeBlueskyAdapter = (config: BlueskyConfig, calls: BlueskyCalls): PlatformAdapter => {
  const api = makeBlueskyApi(config, calls)

  const media = makeMediaUpload(api, { url: config.videoUrl ?? null, call: calls.configured })

  const means = { calls, renew: api.renew, repeatUpload: media.repeatUpload }

  const stored = makeStoredPosts(api)
  const recordReply = makeReplies(stored)

  const publication = ({ repo, rkey }: BlueskyPost, cid: string | null): Publication => ({
    platformPostId: `at://${repo}/${postCollection}/${rkey}`,
    url: `${config.webUrl}/profile/${repo}/post/${rkey}`,
    cid
  })

  const prepare = Effect.fnUntraced(function* (request: PublishRequest, account: Account) {
    const uploads = yield* readUploads(request)
    yield* requireFit(textLimit, request.text, uploads !== undefined)
    const text = richText(request.text)
    const { part = 1, reply: replied = null } = request
    const key = { repo: account.accountId, rkey: recordKey(request.targetId, part) }
    const reply = replied === null ? undefined : yield* recordReply({ ...key, record: text, reply: replied }, account)
    const dids = yield* resolveMentions(api, account, text)
    const now = yield* DateTime.now
    const createdAt = replied === null ? now : createdAfter(replied, part, now)
    const quoted = request.card?.record
    const quote = quoted === undefined ? undefined : yield* currentQuote(api, account, quoted)
    const card = quoted === undefined ? (request.card ?? null) : null
    const record = postRecord(text, dids, createdAt, { ...request, card }, reply)
    return encodePrepared({
      ...storedAs.members,
      ...key,
      ...thumbOf(request),
      ...(quote === undefined ? {} : { quote }),
      ...(uploads === undefined ? { record } : { record: { ...record, embed: uploads.embed }, files: uploads.files })
    })
  }, span("Bluesky.prepare"))

  /** An earlier send may have put the post under this key, perhaps a send unknown to a restored database. */
  const resolveTakenKey = (post: BlueskyPost, access: OpenAccess) =>
    stored.readPost(post, access, (held): Step<Publication, PlatformError> => {
      switch (held._tag) {
        case "Post":
          return end(Result.succeed(publication(post, held.cid)))
        case "Other":
          return fail(anotherRecord)
        case "None":
          return fail(
            new OutcomeUnknown({
              message: "Bluesky has a record under the key of this post, and does not show it",
              conclusive: true
            })
          )
      }
    })

  const conclude =
    (post: BlueskyPost): Next =>
    (answer, now, access) => {
      if (Result.isFailure(answer)) return fail(unansweredPost(answer.failure))
      const response = answer.success
      if (post.files !== undefined && isBlobUnknown(response)) {
        return fail(new UploadsGone({ message: "Bluesky has dropped the files of this post" }))
      }
      if (isKeyTaken(response)) return afterUnknown(resolveTakenKey(post, access), judgesRecord)
      if (response.status !== 200) return fail(refusedPut(response, now))
      const result = readPut(response)
      return Option.isSome(result)
        ? end(Result.succeed(publication(post, knownCid(result.value.cid))))
        : fail(new OutcomeUnknown({ message: "Bluesky's response to the post can't be read" }))
    }

  const putOnce = (post: BlueskyPost, access: OpenAccess, next: Next = conclude(post)) =>
    api.authorized({ request: putRequest(post), shows: "post", next }, access)

  const putWithUploads = (post: BlueskyPost, files: ReadonlyArray<EmbeddedFile>) =>
    uploadAgain(files, (failure, access) => (failure === undefined ? putOnce(post, access) : fail(failure)))

  /**
   * Uploads images right before each put, because a PDS may have dropped them. Uploads a video again only if the put
   * fails without it, and then repeats the put: same record, same key.
   */
  const putWithFiles = (post: BlueskyPost, files: ReadonlyArray<EmbeddedFile>, access: OpenAccess): Put => {
    if (post.record.embed?.$type !== "app.bsky.embed.video") return putWithUploads(post, files)
    const ended = conclude(post)
    return putOnce(post, access, (answer, now, current) => {
      if (Result.isFailure(answer) || !lacksBlob(answer.success)) return ended(answer, now, current)
      if (isBlobUnknown(answer.success)) return putWithUploads(post, files)
      const { status } = answer.success
      const again = uploadAgain(files, (failure, renewed) =>
        failure === undefined
          ? putOnce(post, renewed)
          : fail(new OutcomeUnknown({ message: `Bluesky answered ${status}: ${failure.message}` }))
      )
      return afterUnknown(again, judgesRecord)
    })
  }

  /**
   * Uploads the picture right before each put. If that fails, sends the card without it: a post must not be late or
   * fail for a picture. An earlier put with the picture is recognized by its text.
   */
  const putWithCard = (post: BlueskyPost, access: OpenAccess): Put => {
    const { record, thumb } = post
    const { embed } = record
    if (thumb === undefined || embed?.$type !== "app.bsky.embed.external") return putOnce(post, access)
    const plain = { ...post, record: { ...record, embed: withoutThumb(embed) } }
    const ended = conclude(post)
    return {
      _tag: "Files",
      files: [{ ...thumb, processed: false }],
      next: (references, current) =>
        putOnce(Result.isSuccess(references) ? post : plain, current, (answer, now, renewed) =>
          Result.isSuccess(answer) && isBlobUnknown(answer.success)
            ? putOnce(plain, renewed)
            : ended(answer, now, renewed)
        )
    }
  }

  const put = (post: BlueskyPost, access: OpenAccess): Put =>
    post.files === undefined ? putWithCard(post, access) : putWithFiles(post, post.files, access)

  const send: PlatformAdapter["send"] = (prepared, access) => {
    const post = readPrepared.toSend(prepared, access)
    return Result.isFailure(post) ? fail(post.failure) : put(post.success, access)
  }

  const lookOnly = Effect.fnUntraced(function* (post: BlueskyPost, account: Account) {
    const held = yield* stored.findRecord(post, account)
    switch (held._tag) {
      case "Post":
        return publication(post, held.cid)
      case "Other":
        return yield* anotherRecord
      case "None":
        return yield* new OutcomeUnknown({
          message: "Bluesky has no such post: either it was never published, or it was deleted since",
          conclusive: true
        })
    }
  })

  const reconcile = Effect.fnUntraced(function* (prepared: Prepared, account: Account, sentAt: DateTime.Utc) {
    const post = yield* readPrepared.toReconcile(prepared, account)
    const isRecent = DateTime.isLessThanOrEqualTo(yield* DateTime.now, DateTime.addDuration(sentAt, repeatWindow))
    // Reading the credentials checks first that this process has its leases and that the account is connected.
    const fenced = { ...unwatched, beforePost: Effect.asVoid(account.credentials.current) }
    const repeated = carryOut(means, account, (access) => put(post, access), fenced).pipe(
      span(sendSpan),
      // Without its files, the post can't be put again. Only reading the record can tell if an earlier put succeeded.
      Effect.catchTag("UploadsGone", () => lookOnly(post, account)),
      (sent) => (post.files === undefined ? sent : Effect.catchTag(sent, "Rejected", () => lookOnly(post, account)))
    )
    return yield* (isRecent ? repeated : lookOnly(post, account)).pipe(
      // Unavailable says that this request was not carried out. An earlier one may have been.
      Effect.catchTag("Unavailable", ({ message }) => new OutcomeUnknown({ message }))
    )
  })

  const find = Effect.fnUntraced(function* (prepared: Prepared, account: Account) {
    const post = yield* readPrepared.toReconcile(prepared, account)
    const held = yield* stored.findRecord(post, account)
    switch (held._tag) {
      case "Post":
        return Option.some(publication(post, held.cid))
      case "Other":
        return yield* new OutcomeUnknown({
          message: `Bluesky has a record with another text under the key of this post: ${publication(post, null).url}`,
          conclusive: true,
          otherVersion: true
        })
      case "None":
        return Option.none()
    }
  })

  return {
    maxReconcileAttempts: maxAttempts,
    ...means,
    upload: media.upload,
    prepare,
    send,
    sendSpan,
    reconcile,
    find,
    mentions: makeMentions(api)
  }
}
