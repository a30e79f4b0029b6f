import { DateTime, Duration, Effect, Option, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { OutcomeUnknown, type Publication, Rejected, Unavailable } from "../../domain/publishing/platformError.ts"
import type { Call, PlatformResponse } from "../call.ts"
import { unansweredPost } from "../outcome.ts"
import type { Account, PlatformAdapter, Prepared, PublishRequest, SendFailure } from "../PlatformClient.ts"
import { preparedPostReader, requireFit, storedForm, uploadsReader } from "../preparedPost.ts"
import { span } from "../span.ts"
import { end, fail, type OpenAccess, type Step } from "../steps.ts"
import { authorized, makeLinkedinApi } from "./api.ts"
import type { LinkedinConfig } from "./config.ts"
import { makePageSearch } from "./find.ts"
import { LinkedinUploads, makeMediaUpload } from "./media.ts"
import { refusedPostOf } from "./problem.ts"
import { toLittleText } from "./rules/littleText.ts"
import { firstLink } from "./rules/rules.ts"
import { measure } from "./rules/text.ts"
import { isPageUrn, isPostUrn } from "./syntax.ts"

const storedAs = storedForm("LinkedinPost")

const Card = Schema.Struct({
  url: Schema.String,
  title: Schema.String,
  description: Schema.String,
  thumb: Schema.optionalKey(Schema.Struct({ hash: Schema.String, contentType: Schema.String, size: Schema.Int }))
})

const LinkedinPost = Schema.Struct({
  ...storedAs.fields,
  text: Schema.String,
  accountId: Schema.String,
  /** A look ignores older posts, because an older post with the same text is a different post. */
  preparedAt: Schema.DateTimeUtcFromString,
  uploads: Schema.optionalKey(LinkedinUploads),
  card: Schema.optionalKey(Card)
})
type LinkedinPost = typeof LinkedinPost.Type
const encodePrepared = Schema.encodeSync(LinkedinPost)
const readPrepared = preparedPostReader("LinkedIn", LinkedinPost, ({ accountId }) => accountId)
const readUploads = uploadsReader("LinkedIn", LinkedinUploads)

const textLimit = { platform: "LinkedIn", measure, unit: "characters" }

/** How far the finder lags is not documented. Three looks take minutes. */
const maxReconcileAttempts = 3

const notReadable =
  "LinkedIn lets no application read a member's posts, so only a person can tell whether the post is there, and has to say so before it is published again"
const unreadable = new OutcomeUnknown({ message: notReadable, conclusive: true })

/** A member's post can't be looked for, so a person is told immediately. */
const toPerson = (failure: SendFailure): SendFailure =>
  failure._tag === "OutcomeUnknown"
    ? new OutcomeUnknown({ message: `${failure.message}. ${notReadable}`, conclusive: true })
    : failure

/** How far the finder lags is not documented. Before this time has passed, a missing post may still appear. */
const longestLag = Duration.minutes(5)

/** The card of the text's first link. A card for another platform's text may be of another link. */
const cardOf = ({ card = null, text }: PublishRequest): Pick<LinkedinPost, "card"> => {
  if (card === null || card.url !== firstLink(text)) return {}
  const { description, thumb, title, url } = card
  const picture =
    thumb === null || thumb.content_type === "image/webp"
      ? {}
      : { thumb: { hash: thumb.hash, contentType: thumb.content_type, size: thumb.size } }
  return { card: { url, title, description, ...picture } }
}

const contentOf = ({ card, uploads }: LinkedinPost, thumbnail: string | undefined) => {
  const media = (uploads?.media ?? []).map(({ alt, urn }) => ({ id: urn, ...(alt === "" ? {} : { altText: alt }) }))
  const [first, ...more] = media
  if (first !== undefined) return { content: more.length === 0 ? { media: first } : { multiImage: { images: media } } }
  if (card === undefined) return {}
  const { description, title, url } = card
  return {
    content: {
      article: {
        source: url,
        title,
        ...(description === "" ? {} : { description }),
        ...(thumbnail === undefined ? {} : { thumbnail })
      }
    }
  }
}

/** LinkedIn has no idempotency keys. An unknown outcome is looked up on pages; of a member, it needs a person. */
export const makeLinkedinAdapter = (config: LinkedinConfig, call: Call): PlatformAdapter => {
  const api = makeLinkedinApi(config, call)
  const { upload, uploadThumbnails } = makeMediaUpload(config, api, call)
  const { search, unmatched } = makePageSearch(config, api)

  const publication = (urn: string): Publication => ({
    platformPostId: urn,
    url: `${config.webUrl}/feed/update/${urn}`
  })

  const prepare = Effect.fnUntraced(function* (request: PublishRequest, account: Account) {
    const uploads = yield* readUploads(request)
    yield* requireFit(textLimit, request.text, uploads !== undefined)
    if ((request.reply ?? null) !== null) {
      return yield* new Rejected({ message: "LinkedIn has no threads, so this part can't be posted there" })
    }
    const now = yield* DateTime.now
    return encodePrepared({
      ...storedAs.members,
      text: request.text,
      accountId: account.accountId,
      preparedAt: DateTime.min(request.notBefore ?? now, now),
      ...(uploads === undefined ? cardOf(request) : { uploads })
    })
  }, span("Linkedin.prepare"))

  const emptyRequest = HttpClientRequest.post(`${config.apiUrl}/rest/posts`, { acceptJson: true })
  const requestOf = (post: LinkedinPost, thumbnail: string | undefined) =>
    HttpClientRequest.bodyJsonUnsafe(emptyRequest, {
      author: post.accountId,
      commentary: toLittleText(post.text),
      visibility: "PUBLIC",
      distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
      lifecycleState: "PUBLISHED",
      isReshareDisabledByAuthor: false,
      ...contentOf(post, thumbnail)
    })

  /** The id is in a header. If it is missing, another header of LinkedIn still shows whose answer this is. */
  const published = (
    { accountId }: LinkedinPost,
    { body, headers, status }: PlatformResponse
  ): Option.Option<Publication> => {
    if (status !== 201) return Option.none()
    const urn = headers["x-restli-id"]
    if (isPostUrn(urn)) return Option.some(publication(urn))
    const isOwn = Object.keys(headers).some((name) => /^x-(?:li|restli)-/.test(name))
    return body === "" && isOwn
      ? Option.some({ platformPostId: null, url: null, ...(isPageUrn(accountId) ? { addressFollows: true } : {}) })
      : Option.none()
  }

  const post = (prepared: LinkedinPost, access: OpenAccess, thumbnail?: string): Step<Publication, SendFailure> =>
    authorized<Publication, SendFailure>(config, access, requestOf(prepared, thumbnail), "post", (answer, now) => {
      const isPage = isPageUrn(prepared.accountId)
      const failWith = (failure: SendFailure) => (isPage ? failure : toPerson(failure))
      if (Result.isFailure(answer)) return fail(failWith(unansweredPost(answer.failure)))
      const kind = { hasMedia: prepared.uploads !== undefined, isPage }
      return end(
        Result.fromOption(published(prepared, answer.success), () => failWith(refusedPostOf(kind, answer.success, now)))
      )
    })

  const send: PlatformAdapter["send"] = (prepared, access) => {
    const read = readPrepared.toSend(prepared, access)
    if (Result.isFailure(read)) return fail(read.failure)
    const { card } = read.success
    const thumb = card?.thumb
    if (thumb === undefined) return post(read.success, access)
    return {
      _tag: "Files",
      files: [{ ...thumb, processed: false }],
      // A post must not be late or fail for a picture.
      next: (references, current) =>
        post(read.success, current, Result.isSuccess(references) ? references.success[0] : undefined)
    }
  }

  const find = Effect.fn("Linkedin.find")(function* (
    prepared: Prepared,
    account: Account,
    since: DateTime.Utc,
    until?: DateTime.Utc
  ) {
    const { accountId, preparedAt, text, uploads } = yield* readPrepared.toReconcile(prepared, account)
    if (!isPageUrn(accountId)) return yield* unreadable
    const media = (uploads?.media ?? []).map(({ urn }) => urn)
    const urn = yield* search(account, { text, media }, DateTime.min(preparedAt, since), until)
    const mayLag =
      until !== undefined && DateTime.isLessThan(yield* DateTime.now, DateTime.addDuration(until, longestLag))
    if (Option.isNone(urn) && mayLag) {
      return yield* new Unavailable({ message: "LinkedIn may not show a post yet that was sent some minutes ago" })
    }
    return Option.map(urn, (found): Publication => ({ ...publication(found), recognized: true }))
  })

  const reconcile = Effect.fn("Linkedin.reconcile")(function* (
    prepared: Prepared,
    account: Account,
    sentAt: DateTime.Utc
  ) {
    const found = yield* find(prepared, account, sentAt)
    return Option.isSome(found)
      ? found.value
      : yield* new OutcomeUnknown({ message: "LinkedIn has not shown the post among the page's posts yet" })
  })

  return {
    maxReconcileAttempts,
    calls: api.calls,
    renew: api.renew,
    upload,
    repeatUpload: uploadThumbnails,
    prepare,
    send,
    sendSpan: "Linkedin.publish",
    reconcile,
    find,
    findAddress: (prepared, account, publishedAt) =>
      find(prepared, account, publishedAt).pipe(Effect.catchTag("OutcomeUnknown", () => Effect.succeedNone)),
    unmatched
  }
}
