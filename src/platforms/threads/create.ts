import { DateTime, Duration, Effect, Option, Schema } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import {
  type PlatformError,
  Preparing,
  Rejected,
  TooEarly,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import type { ThreadsConfig } from "./config.ts"
import type { AccountAccess, PublishRequest } from "../PlatformClient.ts"
import { formTo, madeId, type ThreadsApi } from "./api.ts"
import { containerRequest, containerState, lastingError } from "./container.ts"
import { problemOf } from "../meta/problem.ts"
import { isNotFound, refusedIdly } from "./problem.ts"
import { ThreadsId } from "./syntax.ts"
import { listPosts } from "./timeline.ts"

/** A container that Threads is making. */
const Begun = Schema.Struct({
  container: ThreadsId,
  madeAt: Schema.DateTimeUtcFromString,
  /** The containers made for this post so far. */
  tries: Schema.Int,
  /** The links under which Threads fetches the post's file. */
  links: Schema.Array(Schema.String)
})
export type Begun = typeof Begun.Type
/** The form of a container, and the links in it. */
export interface Wanted {
  readonly form: Readonly<Record<string, string>>
  readonly links: ReadonlyArray<string>
}

const readBegun = Schema.decodeUnknownOption(Begun)
const encodeBegun = Schema.encodeSync(Begun)

/** Meta fetches files unreliably, and some containers are never found. */
const maxTries = 4

/** A container that Threads does not find for this long is replaced. */
const longestUnfound = Duration.minutes(2)

/** Threads may hide a new post from replies for this time. */
const longestUnseen = Duration.minutes(10)

const describe = (tries: number) => (tries === 1 ? "Threads is making the post" : `Threads is making the post again`)

/** Makes containers, which nobody sees, and follows them until they can be published. */
export const makeCreation = (config: ThreadsConfig, api: ThreadsApi) => {
  const create = Effect.fnUntraced(function* (
    account: AccountAccess,
    { form, links }: Wanted,
    tries: number
  ): Effect.fn.Return<Begun, PlatformError | DatabaseUnavailable> {
    const madeAt = yield* DateTime.now
    const response = yield* api
      .ask(account, formTo(config, "/me/threads", form))
      .pipe(Effect.tapError(() => account.files.unshare(links)))
    const container = madeId(response)
    if (container !== undefined) return { container, madeAt, tries, links }
    yield* account.files.unshare(links)
    return yield* response.status === 200
      ? new Unavailable({ message: "Threads did not say what it made" })
      : Effect.fail(refusedIdly(response, yield* DateTime.now))
  })

  /** Returns a container that can be published. Fails with Preparing until then: ask again after `pause`. */
  const ready = Effect.fn("Threads.prepareContainer")(function* (
    account: AccountAccess,
    begun: Schema.Json | null,
    wanted: Effect.Effect<Wanted, PlatformError | DatabaseUnavailable>,
    pause: Duration.Duration
  ): Effect.fn.Return<Begun, PlatformError | Preparing | DatabaseUnavailable> {
    const begin = Effect.fnUntraced(function* (tries: number) {
      const made = yield* create(account, yield* wanted, tries)
      return yield* new Preparing({ message: describe(tries), begun: encodeBegun(made), askAfter: pause })
    })
    const known = begun === null ? Option.none() : readBegun(begun)
    if (Option.isNone(known)) return yield* begin(1)
    const { container, links, madeAt, tries } = known.value
    const wait = new Preparing({ message: describe(tries), begun: encodeBegun(known.value), askAfter: pause })
    /** Threads needs the files no more. */
    const unshare = account.files.unshare(links)
    const again = (reason: string) =>
      Effect.andThen(
        unshare,
        tries < maxTries
          ? begin(tries + 1)
          : Effect.fail(new Rejected({ message: `Threads could not make this post: ${reason}` }))
      )
    const response = yield* api.ask(account, containerRequest(config, container))
    const state = containerState(container, response)
    if (Option.isNone(state)) {
      const problem = problemOf(response)
      if (problem === undefined || !isNotFound(problem)) {
        const error = response.status === 200 ? undefined : refusedIdly(response, yield* DateTime.now)
        return yield* error?._tag === "NeedsReauthorization" || error?._tag === "RateLimited"
          ? Effect.fail(error)
          : new Unavailable({ message: error?.message ?? "Threads did not tell the state of this post" })
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
      case "IN_PROGRESS":
        return yield* wait
      case "EXPIRED":
        return yield* begin(1)
      case "ERROR": {
        const reason = lastingError(state.value)
        return yield* reason === undefined
          ? again(state.value.error ?? "it gave no reason")
          : Effect.andThen(unshare, Effect.fail(new Rejected({ message: `Threads refused this post: ${reason}` })))
      }
    }
  })

  /**
   * Threads' id of the post that a part replies to. An address that a person entered does not have it, so the post is
   * looked for among the account's posts.
   */
  const parentOf = Effect.fn("Threads.parentOf")(function* (
    { reply = null }: Pick<PublishRequest, "reply">,
    account: AccountAccess
  ): Effect.fn.Return<string | undefined, PlatformError | DatabaseUnavailable> {
    if (reply === null) return undefined
    const { parent, parentAt } = reply
    if (parent.cid !== null && Schema.is(ThreadsId)(parent.cid)) return parent.cid
    for (const replies of [false, true]) {
      const { posts } = yield* listPosts(api, config, account, { replies, since: parentAt })
      const found = posts.find(({ key }) => key === parent.platformPostId)
      if (found !== undefined) return found.mediaId
    }
    const isOld = DateTime.isGreaterThan(yield* DateTime.now, DateTime.addDuration(parentAt, longestUnseen))
    return yield* isOld
      ? new Rejected({ message: "The post that this one replies to is not among the account's posts on Threads" })
      : new TooEarly({ message: "Threads does not show the post that this one replies to yet" })
  })

  return { create, ready, parentOf }
}
