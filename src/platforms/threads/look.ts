import { DateTime, Duration, Effect, Option } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import {
  Accepted,
  Dropped,
  OutcomeUnknown,
  type PlatformError,
  type Publication
} from "../../domain/publishing/platformError.ts"
import type { ThreadsConfig } from "./config.ts"
import { threads } from "./facts.ts"
import type { Account, PlatformAdapter, UnmatchedPosts } from "../PlatformClient.ts"
import type { ThreadsApi } from "./api.ts"
import { containerRequest, type ContainerState, containerState, lastingError } from "./container.ts"
import { readPost, type ThreadsPost } from "./prepared.ts"
import { problemOf } from "../meta/problem.ts"
import { isNotFound, refusedIdly } from "./problem.ts"
import { withoutAddress } from "./send.ts"
import { comparedText, listPosts, type TimelinePost } from "./timeline.ts"

/** The pauses before Threads is asked again: while it publishes a container, and until the container ends. */
const soon = Duration.seconds(30)
const later = Duration.minutes(15)

/** A container's lifetime, and an hour in case Threads or a clock is late. */
const lifetime = Duration.hours(threads.limits.containerHours + 1)

/** The longest time for which a container is asked for. */
export const longestProcessing = lifetime

/**
 * Threads may publish a container this long after a request whose answer was lost. Until then the container's state
 * FINISHED decides nothing.
 */
const longestRequest = Duration.minutes(5)

/** After this time, only the end of the container can settle the outcome, and the looks are not counted any more. */
const countedLooks = Duration.minutes(20)

const unconfirmed = "Threads has not published this post yet, and may still do so"

const forgotten = "Threads no longer knows this post's container, and does not show the post"

const isPast = (time: DateTime.Utc, after: Duration.Duration) =>
  Effect.map(DateTime.now, (now) => DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(time, after)))

/** The reason for the end of a container that certainly was not published. Undefined for other states. */
const endOf = (state: ContainerState): string | undefined => {
  switch (state.status) {
    case "EXPIRED":
      return "Threads did not publish this post within 24 hours, and never will. Publish it again"
    case "ERROR":
      return `Threads did not publish this post: ${lastingError(state) ?? "it could not be made"}`
    default:
      return undefined
  }
}

const asPublication = ({ key, mediaId, url }: TimelinePost): Publication => ({
  platformPostId: key,
  url,
  cid: mediaId,
  recognized: true
})

/** Finds out what became of a container. Never publishes one. */
export const makeLooks = (
  config: ThreadsConfig,
  api: ThreadsApi
): Pick<PlatformAdapter, "reconcile" | "find"> & Required<Pick<PlatformAdapter, "findAddress" | "unmatched">> => {
  /** None if Threads does not know the container, or does not find it at the moment. */
  const stateOf = Effect.fnUntraced(function* (
    account: Account,
    container: string
  ): Effect.fn.Return<Option.Option<ContainerState>, PlatformError | DatabaseUnavailable> {
    const response = yield* api.ask(account, containerRequest(config, container))
    const state = containerState(container, response)
    if (Option.isSome(state)) return state
    const problem = problemOf(response)
    if (problem !== undefined && problem.status < 500 && isNotFound(problem)) return Option.none()
    const error = refusedIdly(response, yield* DateTime.now)
    return yield* ["NeedsReauthorization", "RateLimited"].includes(error._tag)
      ? Effect.fail(error)
      : new OutcomeUnknown({ message: `Threads did not say whether this post is published: ${error.message}` })
  })

  /** The posts that may be this one, and that no other target owns. */
  const candidates = Effect.fnUntraced(function* (post: ThreadsPost, account: Account, since: DateTime.Utc) {
    const { complete, posts } = yield* listPosts(api, config, account, { replies: post.replyTo !== undefined, since })
    const wanted = comparedText(post.text)
    const alike = posts.filter(
      ({ kind, repliedTo, text }) =>
        comparedText(text) === wanted &&
        (kind === undefined || kind === post.kind) &&
        (repliedTo === undefined || post.replyTo === undefined || repliedTo === post.replyTo)
    )
    if (alike.length === 0) return { complete, found: [], contenders: 1 }
    const unresolved = yield* account.others.unresolved(since)
    const contenders = 1 + unresolved.filter((other) => comparedText(other) === wanted).length
    const published = yield* account.others.published(alike.map(({ key }) => key))
    return { complete, contenders, found: alike.filter(({ key }) => !published.has(key)) }
  })

  /** The post as which a container was published. None unless exactly one post can be it. */
  const publishedAs = Effect.fnUntraced(function* (
    post: ThreadsPost,
    account: Account,
    since: DateTime.Utc
  ): Effect.fn.Return<Option.Option<Publication>, PlatformError | DatabaseUnavailable> {
    const { contenders, found } = yield* candidates(post, account, since)
    const [only, ...more] = found
    return only === undefined || more.length > 0 || contenders > 1 ? Option.none() : Option.some(asPublication(only))
  })

  /** A published container's publication. A list that can't be read leaves its address open. */
  const publicationOf = (post: ThreadsPost, account: Account, since: DateTime.Utc) =>
    publishedAs(post, account, since).pipe(
      Effect.catchIf(
        (error) => error._tag !== "DatabaseUnavailable",
        () => Effect.succeedNone
      ),
      Effect.map(Option.getOrElse(() => withoutAddress))
    )

  /** Looks for a post of which no container is known, by its text. */
  const findByText = Effect.fnUntraced(function* (post: ThreadsPost, account: Account, since: DateTime.Utc) {
    const { complete, contenders, found } = yield* candidates(post, account, since)
    const oldest = found.at(-1)
    if (oldest !== undefined) {
      if (found.length >= contenders) return Option.some(asPublication(oldest))
      return yield* new OutcomeUnknown({
        message:
          "Threads shows a post with this text, but another post of this account with the same text may be the one",
        conclusive: true
      })
    }
    return yield* complete
      ? Effect.succeedNone
      : new OutcomeUnknown({
          message:
            "Threads has not shown the post among the newest of the account, whose list is too long to be read whole",
          conclusive: true
        })
  })

  return {
    reconcile: Effect.fn("Threads.reconcile")(function* (prepared, account, sentAt) {
      const post = yield* readPost.toReconcile(prepared, account)
      if (post.container === undefined) {
        const found = yield* findByText(post, account, sentAt)
        return Option.isSome(found) ? found.value : yield* new OutcomeUnknown({ message: unconfirmed })
      }
      const state = yield* stateOf(account, post.container)
      if (Option.exists(state, ({ status }) => status === "PUBLISHED")) {
        return yield* publicationOf(post, account, sentAt)
      }
      const ended = Option.match(state, { onNone: () => undefined, onSome: endOf })
      if (ended !== undefined) return yield* new Dropped({ message: ended })
      if (Option.isNone(state) && (yield* isPast(post.madeAt, lifetime))) {
        const found = yield* findByText(post, account, sentAt)
        return Option.isSome(found) ? found.value : yield* new OutcomeUnknown({ message: forgotten, conclusive: true })
      }
      // Threads is publishing the container, or only the container's end can settle the outcome.
      const isPublishing = Option.exists(state, ({ status }) => status === "IN_PROGRESS")
      if (isPublishing || (yield* isPast(sentAt, countedLooks))) {
        return yield* new Accepted({ message: unconfirmed, askAfter: isPublishing ? soon : later })
      }
      return yield* new OutcomeUnknown({ message: unconfirmed })
    }),
    find: Effect.fn("Threads.find")(function* (prepared, account, since, until) {
      const post = yield* readPost.toReconcile(prepared, account)
      if (post.container === undefined) return yield* findByText(post, account, since)
      const state = yield* stateOf(account, post.container)
      if (Option.isNone(state)) {
        // Threads forgets containers. A younger one is only not found at the moment.
        return (yield* isPast(post.madeAt, lifetime))
          ? yield* findByText(post, account, since)
          : yield* new OutcomeUnknown({ message: unconfirmed })
      }
      if (state.value.status === "PUBLISHED") return Option.some(yield* publicationOf(post, account, since))
      if (endOf(state.value) !== undefined) return Option.none()
      const isSettled = state.value.status === "FINISHED" && (yield* isPast(until ?? since, longestRequest))
      return isSettled ? Option.none() : yield* new OutcomeUnknown({ message: unconfirmed })
    }),
    findAddress: Effect.fn("Threads.findAddress")(function* (prepared, account, publishedAt) {
      return yield* publishedAs(yield* readPost.toReconcile(prepared, account), account, publishedAt)
    }),
    unmatched: Effect.fn("Threads.unmatched")(function* (account, since, until) {
      const lists = yield* Effect.all([
        listPosts(api, config, account, { replies: false, since }),
        listPosts(api, config, account, { replies: true, since })
      ])
      const posts = lists.flatMap((list) => list.posts)
      const texts = new Set((yield* account.others.unresolved(since)).map(comparedText))
      const published = yield* account.others.published(posts.map(({ key }) => key))
      const left = posts
        .filter(({ createdAt, key, text }) => {
          const isInPeriod = DateTime.isLessThanOrEqualTo(createdAt, DateTime.addDuration(until, longestRequest))
          return isInPeriod && !published.has(key) && !texts.has(comparedText(text))
        })
        .toSorted((a, b) => DateTime.toEpochMillis(b.createdAt) - DateTime.toEpochMillis(a.createdAt))
        .map(({ createdAt, key, text }) => ({ id: key, createdAt, text }))
      return { posts: left, complete: lists.every(({ complete }) => complete) } satisfies UnmatchedPosts
    })
  }
}
