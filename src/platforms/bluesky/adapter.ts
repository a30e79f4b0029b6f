import { DateTime, Duration, Effect, Option, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { OutcomeUnknown, type Publication, Rejected, UploadsGone } from "../../domain/publishing/platformError.ts"
import { maxAttempts } from "../../domain/publishing/retryPolicy.ts"
import { measureText } from "../../domain/posts/text/textRules.ts"
import { richText } from "./rules/richText.ts"
import { measure } from "./rules/text.ts"
import { type DirectCall, type PlatformResponse, readResponse } from "../call.ts"
import type { BlueskyConfig } from "../config.ts"
import { unansweredPost } from "../outcome.ts"
import type { Account, PlainSending, PlatformAdapter, Prepared, PublishRequest } from "../PlatformClient.ts"
import { preparedPostReader, uploadsReader } from "../preparedPost.ts"
import { span } from "../span.ts"
import { storedForm } from "../storedForm.ts"
import { type BlueskyCalls, makeBlueskyApi, pdsOf } from "./api.ts"
import { withoutThumb } from "./cardEmbed.ts"
import { EmbeddedFile } from "./embed.ts"
import { BlueskyUploads, makeMediaUpload } from "./media.ts"
import { resolveMentions } from "./mentions.ts"
import { postCollection, postRecord, PostRecord, recordKey } from "./postRecord.ts"
import { createdAfter, makeReplies } from "./reply.ts"
import { readStoredSession } from "./session.ts"
import { makeStoredPosts } from "./storedPost.ts"
import { knownCid, RecordUri } from "./syntax.ts"
import { isBlobUnknown, isKeyTaken, lacksBlob, procedure, refusedPut } from "./xrpc.ts"

const storedAs = storedForm("BlueskyPost")

/** `repo` is the DID of the account that the post was prepared for. */
export const BlueskyPost = Schema.Struct({
  ...storedAs.fields,
  repo: Schema.NonEmptyString,
  rkey: Schema.NonEmptyString,
  record: PostRecord,
  files: Schema.optionalKey(Schema.Array(EmbeddedFile)),
  /** The picture of the record's card, in the store. */
  thumb: Schema.optionalKey(Schema.Struct({ hash: Schema.String, contentType: Schema.String, size: Schema.Int }))
})
type BlueskyPost = typeof BlueskyPost.Type
const encodePrepared = Schema.encodeSync(BlueskyPost)
const readPrepared = preparedPostReader("Bluesky", BlueskyPost, ({ repo }) => repo)

const readUploads = uploadsReader("Bluesky", BlueskyUploads)

const thumbOf = ({ card }: PublishRequest): Pick<BlueskyPost, "thumb"> => {
  const thumb = card?.thumb ?? null
  return thumb === null ? {} : { thumb: { hash: thumb.hash, contentType: thumb.content_type, size: thumb.size } }
}

const readPut = readResponse(Schema.Struct({ uri: RecordUri, cid: Schema.optionalKey(Schema.Unknown) }))

/** How long after a send it is repeated. After that the post's owner may have deleted it, and a put would bring it back. */
const repeatWindow = Duration.hours(1)

const anotherRecord = new Rejected({
  message: "Another record has the key of this post on Bluesky, and it was left as it is"
})

const putRequest =
  ({ record, repo, rkey }: BlueskyPost) =>
  (pdsUrl: string) =>
    HttpClientRequest.bodyJsonUnsafe(procedure(pdsUrl, "com.atproto.repo.putRecord"), {
      repo,
      collection: postCollection,
      rkey,
      record,
      swapRecord: null
    })

/** What a put that was carried out says of its record; none for any other response. */
const putResult = (response: PlatformResponse) => (response.status === 200 ? readPut(response) : Option.none())

/**
 * Bluesky: sending is idempotent, because the record and its key are fixed before the first send and the record is put only
 * if nothing has that key (`swapRecord: null`).
 */
export const makeBlueskyAdapter = (config: BlueskyConfig, calls: BlueskyCalls): PlatformAdapter => {
  const api = makeBlueskyApi(config, calls)

  const media = makeMediaUpload(api, { url: config.videoUrl ?? null, call: calls.configured })

  const stored = makeStoredPosts(api)
  const recordReply = makeReplies(stored)

  const publication = ({ repo, rkey }: BlueskyPost, cid: string | null): Publication => ({
    platformPostId: `at://${repo}/${postCollection}/${rkey}`,
    url: `${config.webUrl}/profile/${repo}/post/${rkey}`,
    cid
  })

  const prepare = Effect.fnUntraced(function* (request: PublishRequest, account: Account) {
    const uploads = yield* readUploads(request)
    const { length, limit, valid } = measureText({ measure }, request.text, uploads !== undefined)
    if (!valid) {
      return yield* new Rejected({ message: `Bluesky takes texts of 1 to ${limit} characters; this one has ${length}` })
    }
    const text = richText(request.text)
    const { part = 1, reply: replied = null } = request
    const key = { repo: account.accountId, rkey: recordKey(request.targetId, part) }
    const reply = replied === null ? undefined : yield* recordReply({ ...key, record: text, reply: replied }, account)
    const dids = yield* resolveMentions(api.pds(account), text)
    const now = yield* DateTime.now
    const createdAt = replied === null ? now : createdAfter(replied, part, now)
    const record = postRecord(text, dids, createdAt, request, reply)
    return encodePrepared({
      ...storedAs.members,
      ...key,
      ...thumbOf(request),
      ...(uploads === undefined ? { record } : { record: { ...record, embed: uploads.embed }, files: uploads.files })
    })
  }, span("Bluesky.prepare"))

  /** Another record has the post's key, unless an earlier send or a database restored since then put the post there. */
  const resolveTakenKey = Effect.fnUntraced(function* (post: BlueskyPost, account: Account) {
    const held = yield* stored.getRecord(post, account)
    switch (held._tag) {
      case "Post":
        return publication(post, held.cid)
      case "Other":
        return yield* anotherRecord
      case "None":
        return yield* new OutcomeUnknown({
          message: "Bluesky has a record under the key of this post, and does not show it",
          conclusive: true
        })
    }
  })

  const sendPut = (post: BlueskyPost, account: Account) =>
    api.send(account, putRequest(post)).pipe(Effect.catchTag("NoResponse", unansweredPost))

  const plainSending = (direct: DirectCall): PlainSending => ({
    // Mentions are resolved, and a handle follows an @.
    takes: (text) => !text.includes("@"),
    send: (prepared, account, credentials, agent, done) => {
      const post = Option.getOrUndefined(readPrepared.own(prepared, account))
      const session = Option.getOrUndefined(readStoredSession(credentials))
      if (post === undefined || session === undefined) return undefined
      const pds = pdsOf(calls, session, account.serviceUrl ?? config.defaultServiceUrl)
      if (pds.call !== calls.configured) return undefined
      return direct(HttpClientRequest.bearerToken(putRequest(post)(pds.url), session.accessJwt), agent, (answer) => {
        const put = Option.flatMap(Result.getSuccess(answer), putResult)
        done(
          Option.match(put, {
            onNone: () => Result.fail(answer),
            onSome: ({ cid }) => Result.succeed(publication(post, knownCid(cid)))
          })
        )
      })
    }
  })

  /**
   * Puts a post with its files. Images are uploaded right before each put, because a PDS may have dropped them. A video is
   * uploaded again only where the put fails for want of it, and then the put is repeated: it is the same record under the same key.
   */
  const putWithFiles = Effect.fnUntraced(function* (post: BlueskyPost, account: Account) {
    const { files = [] } = post
    const hasVideo = post.record.embed?.$type === "app.bsky.embed.video"
    if (!hasVideo) yield* media.repeat(files, account)
    const response = yield* sendPut(post, account)
    if (!hasVideo || !lacksBlob(response)) return response
    yield* media.repeat(files, account).pipe(
      // The first put was answered with a 500, which says nothing about the record.
      Effect.mapError((error) =>
        isBlobUnknown(response)
          ? error
          : new OutcomeUnknown({ message: `Bluesky answered ${response.status}: ${error.message}` })
      )
    )
    return yield* sendPut(post, account)
  })

  /**
   * Puts a post with a card. Its picture is uploaded right before each put; where that fails, the card goes without it: a post
   * is neither late nor fails for a picture. An earlier put that had it is recognized by its text.
   */
  const putWithCard = Effect.fnUntraced(function* (post: BlueskyPost, account: Account) {
    const { record, thumb } = post
    const { embed } = record
    if (thumb === undefined || embed?.$type !== "app.bsky.embed.external") return yield* sendPut(post, account)
    const plain = { ...post, record: { ...record, embed: withoutThumb(embed) } }
    const isUploaded = yield* Effect.isSuccess(media.uploadBlob(thumb, account))
    const response = yield* sendPut(isUploaded ? post : plain, account)
    return isBlobUnknown(response) ? yield* sendPut(plain, account) : response
  })

  const put = Effect.fnUntraced(function* (post: BlueskyPost, account: Account) {
    const response = yield* post.files === undefined ? putWithCard(post, account) : putWithFiles(post, account)
    if (post.files !== undefined && isBlobUnknown(response)) {
      return yield* new UploadsGone({ message: "Bluesky has dropped the files of this post" })
    }
    if (isKeyTaken(response)) return yield* resolveTakenKey(post, account)
    const result = putResult(response)
    if (Option.isSome(result)) return publication(post, knownCid(result.value.cid))
    if (response.status !== 200) return yield* refusedPut(response)
    return yield* new OutcomeUnknown({ message: "Bluesky's response to the post can't be read" })
  }, span("Bluesky.put"))

  const publish = Effect.fnUntraced(function* (prepared: Prepared, account: Account) {
    return yield* put(yield* readPrepared.toPublish(prepared, account), account)
  })

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
    const repeated = put(post, account).pipe(
      // The post can't be put again without its files, so only the record itself can tell.
      Effect.catchTag("UploadsGone", () => lookOnly(post, account)),
      (sent) => (post.files === undefined ? sent : Effect.catchTag(sent, "Rejected", () => lookOnly(post, account)))
    )
    return yield* (isRecent ? repeated : lookOnly(post, account)).pipe(
      // That this request was not carried out says nothing about the earlier one.
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
    renew: api.renew,
    upload: media.upload,
    prepare,
    publish,
    plain: calls.direct === undefined ? undefined : plainSending(calls.direct),
    reconcile,
    find
  }
}
