import { type DateTime, Duration, Effect, Option, Result, Schema, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import { measureText } from "../../../src/domain/posts/text/textRules.ts"
import {
  Accepted,
  Dropped,
  OutcomeUnknown,
  Preparing,
  type Publication,
  Rejected,
  Unavailable,
  UploadsGone
} from "../../../src/domain/publishing/platformError.ts"
import { type Call, type PlatformResponse, readResponse } from "../../../src/platforms/call.ts"
import { carryOut } from "../../../src/platforms/carryOut.ts"
import { unansweredPost } from "../../../src/platforms/outcome.ts"
import {
  type Account,
  type AccountAccess,
  type PlatformAdapter,
  type Prepared,
  Uploaded
} from "../../../src/platforms/PlatformClient.ts"
import { preparedPostReader, storedForm, uploadsReader } from "../../../src/platforms/preparedPost.ts"
import { end, fail } from "../../../src/platforms/steps.ts"
import { authorized, croakOf, type PondConfig, refusedDrop, renewWith } from "./api.ts"
import { pond } from "./facts.ts"
import { pondRules } from "./rules.ts"

const storedAs = storedForm("PondPost")

const PondPost = Schema.Struct({
  ...storedAs.fields,
  key: Schema.NonEmptyString,
  text: Schema.String,
  accountId: Schema.String,
  /** The net with the drop's pictures. */
  net: Schema.optionalKey(Schema.NonEmptyString),
  /** The drop to which it replies. */
  under: Schema.optionalKey(Schema.String),
  /** True if it has no net because the adapter only searches for it. */
  isSought: Schema.optionalKey(Schema.Literal(true))
})
const encodePost = Schema.encodeSync(PondPost)
const readPost = preparedPostReader("Pond", PondPost, ({ accountId }) => accountId)
const readPictures = uploadsReader("Pond", Schema.Array(Schema.String))
const readBegun = Schema.decodeUnknownOption(Schema.Struct({ net: Schema.NonEmptyString }))

const readPicture = readResponse(Schema.Struct({ picture: Schema.String }))
const readNet = readResponse(
  Schema.Struct({ net: Schema.Struct({ id: Schema.NonEmptyString, ready: Schema.Boolean }) })
)

/** A drop at the pond. It is sinking at first; then it is shown, or sunk for good. */
const Drop = Schema.Struct({
  key: Schema.String,
  text: Schema.String,
  state: Schema.Literals(["sinking", "shown", "sunk"]),
  /** The page on which people see it. A reply has no page until the pond has placed it under its parent. */
  page: Schema.NullOr(Schema.String.check(Schema.isPattern(pond.postPath)))
})
const readDrop = readResponse(Schema.Struct({ drop: Drop }))

/** The pause before the next question to the pond. */
const askAfter = Duration.seconds(1)

/**
 * The adapter of the pond. The key of a drop identifies its target. The pond refuses a key that is in use, and replaces
 * a drop only if it has sunk it.
 */
export const makePondAdapter = (config: PondConfig, call: Call): PlatformAdapter => {
  const means = { calls: { configured: call, guarded: call }, renew: renewWith(config, call) }

  const ask = (account: AccountAccess, request: HttpClientRequest.HttpClientRequest) =>
    carryOut(means, account, (access) => authorized(access, request, "nothing", (answer) => end(answer)))

  /** Sends a request that shows nothing and can be repeated. */
  const askIdly = (account: AccountAccess, request: HttpClientRequest.HttpClientRequest) =>
    Effect.catchTag(ask(account, request), "NoResponse", ({ message }) => new Unavailable({ message }))

  const uploadPicture = Effect.fnUntraced(function* (hash: string, account: AccountAccess) {
    const bytes = Buffer.concat(yield* Stream.runCollect(account.files.read(hash)))
    const request = HttpClientRequest.bodyUint8Array(HttpClientRequest.post(`${config.apiUrl}/pictures`), bytes)
    const response = yield* askIdly(account, request)
    const picture = response.status === 201 ? readPicture(response) : Option.none()
    return Option.isSome(picture) ? picture.value.picture : yield* new Unavailable({ message: "Pond took no picture" })
  })

  const beginNet = (pictures: ReadonlyArray<string>, account: AccountAccess) =>
    askIdly(account, HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${config.apiUrl}/nets`), { pictures }))

  /** Returns the id of a net with the pictures once it is ready. If the pond has lost the net, begins another. */
  const readyNet = Effect.fnUntraced(function* (
    pictures: ReadonlyArray<string>,
    begun: Schema.Json,
    account: AccountAccess
  ) {
    const known = readBegun(begun)
    const asked = Option.isSome(known)
      ? yield* askIdly(account, HttpClientRequest.get(`${config.apiUrl}/nets/${encodeURIComponent(known.value.net)}`))
      : null
    const isGone = asked === null || (asked.status === 404 && croakOf(asked)?.croak === "no_net")
    const response = isGone ? yield* beginNet(pictures, account) : asked
    const net = response.status === 200 || response.status === 201 ? readNet(response) : Option.none()
    if (Option.isSome(net)) {
      const { id, ready } = net.value.net
      return ready ? id : yield* new Preparing({ message: "Pond knots a net", begun: { net: id }, askAfter })
    }
    return yield* response.status === 400 && croakOf(response)?.croak === "no_picture"
      ? new UploadsGone({ message: "Pond has lost a picture" })
      : new Unavailable({ message: "Pond made no net" })
  })

  /** The result of a drop that is not sunk. */
  const meaningOf = ({ key, page, state }: typeof Drop.Type): Result.Result<Publication, Accepted> => {
    if (state === "sinking") return Result.fail(new Accepted({ message: "Pond lets the drop sink in", askAfter }))
    return Result.succeed(
      page === null
        ? { platformPostId: key, url: null, addressFollows: true }
        : { platformPostId: key, url: `${config.webUrl}${page}` }
    )
  }

  /** Reads the drop with a post's key. None if the pond says that there is none. */
  const look = Effect.fnUntraced(function* (key: string, account: Account) {
    const response = yield* ask(account, HttpClientRequest.get(`${config.apiUrl}/drops/${key}`)).pipe(
      Effect.catchTag("NoResponse", ({ message }) => new OutcomeUnknown({ message }))
    )
    if (response.status === 404 && croakOf(response)?.croak === "no_drop") return Option.none()
    const drop = response.status === 200 ? readDrop(response) : Option.none()
    return Option.isSome(drop)
      ? Option.some(drop.value.drop)
      : yield* new OutcomeUnknown({ message: "Pond did not say whether it has the drop" })
  })
  const asSent = (drop: typeof Drop.Type, text: string) =>
    drop.text === text
      ? Effect.succeed(drop)
      : new OutcomeUnknown({ message: "Pond has another drop under this key", otherVersion: true })

  const find = Effect.fnUntraced(function* (prepared: Prepared, account: Account) {
    const { key, text } = yield* readPost.toReconcile(prepared, account)
    const drop = Option.filter(yield* look(key, account), ({ state }) => state !== "sunk")
    if (Option.isNone(drop)) return Option.none()
    return Option.some(yield* Effect.fromResult(meaningOf(yield* asSent(drop.value, text))))
  })

  /** The status alone proves nothing. The body must contain a drop that is not sunk. */
  const answeredDrop = (response: PlatformResponse) =>
    response.status === 201 || response.status === 202
      ? Option.filter(readDrop(response), ({ drop }) => drop.state !== "sunk")
      : Option.none()

  return {
    ...means,
    maxReconcileAttempts: 3,
    longestProcessing: Duration.hours(1),
    upload: (files, account) =>
      Effect.map(
        Effect.forEach(files, ({ hash }) => uploadPicture(hash, account)),
        (uploads) => Uploaded({ uploads })
      ),
    prepare: Effect.fnUntraced(function* (request, account) {
      const pictures = yield* readPictures(request)
      const { begun = null, isSought = false, part = 1, reply, targetId, text } = request
      const { limit, valid } = measureText(pondRules, text, pictures !== undefined)
      if (!valid) return yield* new Rejected({ message: `Pond takes 1 to ${limit} code points` })
      const under = reply?.parent.platformPostId
      const post = {
        ...storedAs.members,
        key: `${targetId}-${part}`,
        text,
        accountId: account.accountId,
        ...(under === undefined ? {} : { under })
      }
      if (pictures === undefined) return encodePost(post)
      if (isSought) return encodePost({ ...post, isSought })
      return encodePost({ ...post, net: yield* readyNet(pictures, begun, account) })
    }),
    preparesThere: true,
    send: (prepared, access) => {
      const read = readPost.toSend(prepared, access)
      if (Result.isFailure(read)) return fail(read.failure)
      const { isSought, key, net, text, under } = read.success
      if (isSought) return fail(new UploadsGone({ message: "The post was prepared to be looked for alone" }))
      const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${config.apiUrl}/drops`), {
        key,
        text,
        ...(net === undefined ? {} : { net }),
        ...(under === undefined ? {} : { reply: under })
      })
      return authorized<Publication, Accepted | ReturnType<typeof refusedDrop>>(
        access,
        request,
        "post",
        (answer, now) => {
          if (Result.isFailure(answer)) return fail(unansweredPost(answer.failure))
          const taken = answeredDrop(answer.success)
          return Option.isSome(taken) ? end(meaningOf(taken.value.drop)) : fail(refusedDrop(answer.success, now))
        }
      )
    },
    reconcile: Effect.fnUntraced(function* (prepared: Prepared, account: Account, _sentAt: DateTime.Utc) {
      const { key, text } = yield* readPost.toReconcile(prepared, account)
      const found = yield* look(key, account)
      if (Option.isNone(found)) return yield* new OutcomeUnknown({ message: "Pond has no such drop", conclusive: true })
      const drop = yield* asSent(found.value, text)
      return yield* drop.state === "sunk"
        ? new Dropped({ message: "Pond let the drop sink for good" })
        : Effect.fromResult(meaningOf(drop))
    }),
    find,
    findAddress: (prepared, account) =>
      find(prepared, account).pipe(
        Effect.map(Option.filter(({ url }) => url !== null)),
        Effect.catchTag("Accepted", () => Effect.succeedNone)
      )
  }
}
