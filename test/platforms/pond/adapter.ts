import { type DateTime, Effect, Option, Result, Schema, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import { measureText } from "../../../src/domain/posts/text/textRules.ts"
import {
  OutcomeUnknown,
  type Publication,
  Rejected,
  Unavailable
} from "../../../src/domain/publishing/platformError.ts"
import { type Call, readResponse } from "../../../src/platforms/call.ts"
import { carryOut } from "../../../src/platforms/carryOut.ts"
import { unansweredPost } from "../../../src/platforms/outcome.ts"
import {
  type Account,
  type AccountAccess,
  type PlatformAdapter,
  type Prepared,
  Uploaded
} from "../../../src/platforms/PlatformClient.ts"
import { preparedPostReader, uploadsReader } from "../../../src/platforms/preparedPost.ts"
import { end, fail, type OpenAccess, type SentFile } from "../../../src/platforms/steps.ts"
import { storedForm } from "../../../src/platforms/storedForm.ts"
import { authorized, croakOf, type PondConfig, refusedDrop, renewWith } from "./api.ts"
import { pondRules } from "./rules.ts"

const storedAs = storedForm("PondPost")

const Pictures = Schema.Array(
  Schema.Struct({ hash: Schema.String, contentType: Schema.String, size: Schema.Int, processed: Schema.Literal(false) })
)

const PondPost = Schema.Struct({
  ...storedAs.fields,
  key: Schema.NonEmptyString,
  text: Schema.String,
  accountId: Schema.String,
  pictures: Schema.optionalKey(Pictures),
  /** The drop that it replies to. */
  under: Schema.optionalKey(Schema.String)
})
const encodePost = Schema.encodeSync(PondPost)
const readPost = preparedPostReader("Pond", PondPost, ({ accountId }) => accountId)
const readPictures = uploadsReader("Pond", Pictures)

const readDrop = readResponse(Schema.Struct({ drop: Schema.Struct({ key: Schema.String, text: Schema.String }) }))
const readPicture = readResponse(Schema.Struct({ picture: Schema.String }))

/** The pond, where a drop has a key of its target's own. It never replaces a drop, and refuses a key that is taken. */
export const makePondAdapter = (config: PondConfig, call: Call): PlatformAdapter => {
  const means = { calls: { configured: call, guarded: call }, renew: renewWith(config, call) }
  const publication = (key: string): Publication => ({ platformPostId: key, url: `${config.webUrl}/drops/${key}` })

  const ask = (account: AccountAccess, request: HttpClientRequest.HttpClientRequest) =>
    carryOut(means, account, (access) => authorized(access, request, "nothing", (answer) => end(answer)))

  const uploadPicture = Effect.fnUntraced(function* ({ hash }: Pick<SentFile, "hash">, account: AccountAccess) {
    const bytes = Buffer.concat(yield* Stream.runCollect(account.files.read(hash)))
    const request = HttpClientRequest.bodyUint8Array(HttpClientRequest.post(`${config.apiUrl}/pictures`), bytes)
    const response = yield* ask(account, request).pipe(
      Effect.catchTag("NoResponse", ({ message }) => new Unavailable({ message }))
    )
    const picture = response.status === 201 ? readPicture(response) : Option.none()
    return Option.isSome(picture) ? picture.value.picture : yield* new Unavailable({ message: "Pond took no picture" })
  })
  const repeatUpload: PlatformAdapter["repeatUpload"] = (files, account) =>
    Effect.forEach(files, (file) => uploadPicture(file, account))

  /** Reads the drop under a post's key. None if the pond says that there is none. */
  const find = Effect.fnUntraced(function* (prepared: Prepared, account: Account) {
    const { key, text } = yield* readPost.toReconcile(prepared, account)
    const response = yield* ask(account, HttpClientRequest.get(`${config.apiUrl}/drops/${key}`)).pipe(
      Effect.catchTag("NoResponse", ({ message }) => new OutcomeUnknown({ message }))
    )
    if (response.status === 404 && croakOf(response)?.croak === "no_drop") return Option.none()
    const drop = response.status === 200 ? readDrop(response) : Option.none()
    if (Option.isNone(drop)) return yield* new OutcomeUnknown({ message: "Pond did not say whether it has the drop" })
    if (drop.value.drop.text === text) return Option.some(publication(key))
    return yield* new OutcomeUnknown({ message: "Pond has another drop under this key", otherVersion: true })
  })

  const drop = (post: typeof PondPost.Type, pictures: ReadonlyArray<string>, access: OpenAccess) => {
    const { key, text, under } = post
    const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${config.apiUrl}/drops`), {
      key,
      text,
      pictures,
      ...(under === undefined ? {} : { reply: under })
    })
    return authorized<Publication, ReturnType<typeof refusedDrop>>(access, request, "post", (answer, now) => {
      if (Result.isFailure(answer)) return fail(unansweredPost(answer.failure))
      const made = answer.success.status === 201 ? readDrop(answer.success) : Option.none()
      return Option.isSome(made) ? end(Result.succeed(publication(key))) : fail(refusedDrop(answer.success, now))
    })
  }

  return {
    ...means,
    maxReconcileAttempts: 3,
    upload: Effect.fnUntraced(function* (files, account) {
      yield* repeatUpload(
        files.map((file) => ({ ...file, processed: false })),
        account
      )
      const uploads = files.map(({ contentType, hash, size }) => ({ contentType, hash, size, processed: false }))
      return Uploaded({ uploads })
    }),
    repeatUpload,
    prepare: Effect.fnUntraced(function* (request, { accountId }) {
      const pictures = yield* readPictures(request)
      const { limit, valid } = measureText(pondRules, request.text, pictures !== undefined)
      if (!valid) return yield* new Rejected({ message: `Pond takes 1 to ${limit} code points` })
      const under = request.reply?.parent.platformPostId
      return encodePost({
        ...storedAs.members,
        key: `${request.targetId}-${request.part ?? 1}`,
        text: request.text,
        accountId,
        ...(pictures === undefined ? {} : { pictures }),
        ...(under === undefined ? {} : { under })
      })
    }),
    send: (prepared, access) => {
      const read = readPost.toSend(prepared, access)
      if (Result.isFailure(read)) return fail(read.failure)
      const post = read.success
      if (post.pictures === undefined) return drop(post, [], access)
      return {
        _tag: "Files",
        files: post.pictures,
        next: (pictures, current) =>
          Result.isFailure(pictures) ? fail(pictures.failure) : drop(post, pictures.success, current)
      }
    },
    reconcile: Effect.fnUntraced(function* (prepared: Prepared, account: Account, _sentAt: DateTime.Utc) {
      const found = yield* find(prepared, account)
      return yield* Effect.fromOption(found).pipe(
        Effect.mapError(() => new OutcomeUnknown({ message: "Pond has no such drop", conclusive: true }))
      )
    }),
    find
  }
}
