import { DateTime, Duration, Effect, Option, Schema } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import {
  type PlatformError,
  Preparing,
  Rejected,
  Unavailable,
  type UploadsGone
} from "../../domain/publishing/platformError.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import { formTo, madeId, type MetaApi } from "./api.ts"
import { makeSendBytes, Upload, uploadOf } from "./bytes.ts"
import { containerRequest } from "./container.ts"
import type { Dialect, Form } from "./dialect.ts"
import { isNotFound, problemOf } from "./problem.ts"
import { makeRefusals } from "./refusals.ts"
import type { SentFile } from "./sentFile.ts"
import { MetaId } from "./syntax.ts"

/** A container that the platform is making. */
const Begun = Schema.Struct({
  container: MetaId,
  madeAt: Schema.DateTimeUtcFromString,
  /** The containers made for this post so far. */
  tries: Schema.Int,
  /** The links under which the platform fetches the post's file. */
  links: Schema.Array(Schema.String),
  /** Absent if the platform fetches the post's file. */
  upload: Schema.optionalKey(Upload)
})
export type Begun = typeof Begun.Type
/** The form of a container, and where its file comes from. */
export interface Wanted {
  readonly form: Form
  readonly links: ReadonlyArray<string>
  /** The video whose bytes the container gets. Absent if the platform fetches the post's file. */
  readonly bytes?: { readonly file: SentFile; readonly uploadUrl: string }
}

const readBegun = Schema.decodeUnknownOption(Begun)
const encodeBegun = Schema.encodeSync(Begun)

/** Meta fetches files unreliably, and some containers are never found. */
const maxTries = 4

/** A container that the platform does not find for this long is replaced. */
const longestUnfound = Duration.minutes(2)

/** After this many turns without another byte, another container is made. */
const maxStalls = 10

/** The pause before more bytes are sent. */
const soon = Duration.seconds(1)

/** The pause after turns without another byte. The address for bytes may be down. */
const afterStall = Duration.seconds(30)

/** Makes containers, which nobody sees, and follows them until they can be published. */
export const makeCreation = (dialect: Dialect, api: MetaApi) => {
  const { name } = dialect
  const { refusedIdly } = makeRefusals(name)
  const sendBytes = makeSendBytes(dialect, api)

  const describe = (tries: number) => (tries === 1 ? `${name} is making the post` : `${name} is making the post again`)

  const create = Effect.fnUntraced(function* (
    account: AccountAccess,
    { bytes, form, links }: Wanted,
    tries: number
  ): Effect.fn.Return<Begun, PlatformError | DatabaseUnavailable> {
    const madeAt = yield* DateTime.now
    const response = yield* api
      .ask(account, formTo(dialect.paths.create(account), form))
      .pipe(Effect.tapError(() => account.files.unshare(links)))
    const container = madeId(response)
    if (container !== undefined) {
      const made = { container, madeAt, tries, links }
      if (bytes === undefined) return made
      const upload = uploadOf(container, bytes.file, bytes.uploadUrl, response)
      return upload === undefined
        ? yield* new Unavailable({ message: `${name} named another host for an upload` })
        : { ...made, upload }
    }
    yield* account.files.unshare(links)
    return yield* response.status === 200
      ? new Unavailable({ message: `${name} did not say what it made` })
      : Effect.fail(refusedIdly(response, yield* DateTime.now))
  })

  /** Returns a container that can be published. Fails with Preparing until then: ask again after `pause`. */
  const ready = Effect.fn(`${name}.prepareContainer`)(function* (
    account: AccountAccess,
    begun: Schema.Json | null,
    wanted: (tries: number) => Effect.Effect<Wanted, PlatformError | UploadsGone | DatabaseUnavailable>,
    pause: Duration.Duration
  ): Effect.fn.Return<Begun, PlatformError | Preparing | UploadsGone | DatabaseUnavailable> {
    const begin = Effect.fnUntraced(function* (tries: number) {
      const made = yield* create(account, yield* wanted(tries), tries)
      const askAfter = made.upload === undefined ? pause : soon
      return yield* new Preparing({ message: describe(tries), begun: encodeBegun(made), askAfter })
    })
    const known = begun === null ? Option.none() : readBegun(begun)
    if (Option.isNone(known)) return yield* begin(1)
    const { container, links, madeAt, tries } = known.value
    const wait = new Preparing({ message: describe(tries), begun: encodeBegun(known.value), askAfter: pause })
    /** The platform needs the files no more. */
    const unshare = account.files.unshare(links)
    const again = (reason: string) =>
      Effect.andThen(
        unshare,
        tries < maxTries
          ? begin(tries + 1)
          : Effect.fail(new Rejected({ message: `${name} could not make this post: ${reason}` }))
      )
    const response = yield* api.ask(account, containerRequest(dialect, container))
    const state = dialect.stateIn(container, response)
    if (Option.isNone(state)) {
      const problem = problemOf(response)
      if (problem === undefined || !isNotFound(problem)) {
        const error = response.status === 200 ? undefined : refusedIdly(response, yield* DateTime.now)
        return yield* error?._tag === "NeedsReauthorization" || error?._tag === "RateLimited"
          ? Effect.fail(error)
          : new Unavailable({ message: error?.message ?? `${name} did not tell the state of this post` })
      }
      const isLost = DateTime.isGreaterThan(yield* DateTime.now, DateTime.addDuration(madeAt, longestUnfound))
      return yield* isLost ? again(problem.detail) : wait
    }
    switch (state.value.status) {
      case "FINISHED":
      // A container that is out already is found out by the send, which reads its state.
      case "PUBLISHED":
        yield* unshare
        return known.value
      case "IN_PROGRESS": {
        const { upload } = known.value
        if (upload === undefined || upload.isWhole) return yield* wait
        const sent = yield* sendBytes(account, upload)
        if (sent.stalls > maxStalls) return yield* again("it did not take all bytes of the video")
        return yield* new Preparing({
          message: `The video is being uploaded to ${name}`,
          begun: encodeBegun({ ...known.value, upload: sent }),
          askAfter: sent.isWhole ? pause : sent.stalls > 1 ? afterStall : soon
        })
      }
      case "EXPIRED":
        return yield* begin(1)
      case "ERROR": {
        const reason = state.value.lastingError
        return yield* reason === undefined
          ? again(state.value.error ?? "it gave no reason")
          : Effect.andThen(unshare, Effect.fail(new Rejected({ message: `${name} refused this post: ${reason}` })))
      }
    }
  })

  return { ready }
}

export type Creation = ReturnType<typeof makeCreation>
