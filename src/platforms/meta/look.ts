import { DateTime, Duration, Effect, Option } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import {
  Accepted,
  Dropped,
  OutcomeUnknown,
  type PlatformError,
  type Publication
} from "../../domain/publishing/platformError.ts"
import type { Account, PlatformAdapter, UnmatchedPosts } from "../PlatformClient.ts"
import type { MetaApi } from "./api.ts"
import { containerRequest, type ContainerState } from "./container.ts"
import type { Dialect } from "./dialect.ts"
import type { ContainerPost } from "./prepared.ts"
import { isPast, openUntil } from "../openOutcome.ts"
import { isNotFound, problemOf } from "./problem.ts"
import { makeRefusals } from "./refusals.ts"
import { withoutAddress } from "./send.ts"
import { comparedText, makeTimeline, type TimelinePost } from "./timeline.ts"

/** The pause before the platform is asked again while it publishes a container. */
const soon = Duration.seconds(30)

/**
 * Meta may publish a container this long after a request whose answer was lost. Until then the container's state
 * FINISHED decides nothing.
 */
const longestRequest = Duration.minutes(5)

/** After this time, probably only the end of the container settles the outcome. */
const usualWait = Duration.minutes(20)

/** A post without a text is recognized by its time, which is not before its send. Clocks differ by less. */
const closeMargin = Duration.minutes(1)

const asPublication = ({ key, mediaId, url }: TimelinePost): Publication => ({
  platformPostId: key,
  url,
  cid: mediaId,
  recognized: true
})

/** Finds out what became of a container. Never publishes one. */
export const makeLooks = (
  dialect: Dialect,
  api: MetaApi
): Pick<PlatformAdapter, "reconcile" | "find"> &
  Required<Pick<PlatformAdapter, "findAddress" | "longestProcessing" | "unmatched">> => {
  const { containerHours, name, paths, readPost, stateIn } = dialect
  const { refusedIdly } = makeRefusals(name)
  const listPosts = makeTimeline(dialect, api)

  /** A container's lifetime, and an hour in case the platform or a clock is late. */
  const lifetime = Duration.hours(containerHours + 1)

  /**
   * After this time, a container that is not found counts as forgotten. The platform does not find containers at random
   * too, so it is asked several times after the container's end.
   */
  const remembered = Duration.hours(containerHours + 4)

  const unconfirmed = `${name} has not published this post yet, and may still do so`

  const forgotten = `${name} no longer knows this post's container, and does not show the post`

  /** The reason for the end of a container that certainly was not published. Undefined for other states. */
  const endOf = ({ lastingError, status }: ContainerState): string | undefined => {
    switch (status) {
      case "EXPIRED":
        return `${name} did not publish this post within ${containerHours} hours, and never will. Publish it again`
      case "ERROR":
        return `${name} did not publish this post: ${lastingError ?? "it could not be made"}`
      default:
        return undefined
    }
  }

  /** None if the platform does not know the container, or does not find it at the moment. */
  const stateOf = Effect.fnUntraced(function* (
    account: Account,
    container: string
  ): Effect.fn.Return<Option.Option<ContainerState>, PlatformError | DatabaseUnavailable> {
    const response = yield* api.ask(account, containerRequest(dialect, container))
    const state = stateIn(container, response)
    if (Option.isSome(state)) return state
    const problem = problemOf(response)
    if (problem !== undefined && problem.status < 500 && isNotFound(problem)) return Option.none()
    const error = refusedIdly(response, yield* DateTime.now)
    return yield* ["NeedsReauthorization", "RateLimited"].includes(error._tag)
      ? Effect.fail(error)
      : new OutcomeUnknown({ message: `${name} did not say whether this post is published: ${error.message}` })
  })

  /** The posts that may be this one, and that no other target owns. */
  const candidates = Effect.fnUntraced(function* (post: ContainerPost, account: Account, since: DateTime.Utc) {
    const { complete, posts } = yield* listPosts(account, paths.list(account, post), since)
    const wanted = comparedText(post.text)
    const from = DateTime.subtractDuration(since, closeMargin)
    const alike = posts.filter(
      ({ createdAt, kind, repliedTo, text }) =>
        comparedText(text) === wanted &&
        (wanted !== "" || DateTime.isGreaterThanOrEqualTo(createdAt, from)) &&
        (kind === undefined || post.kind === undefined || kind === post.kind) &&
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
    post: ContainerPost,
    account: Account,
    since: DateTime.Utc
  ): Effect.fn.Return<Option.Option<Publication>, PlatformError | DatabaseUnavailable> {
    const { contenders, found } = yield* candidates(post, account, since)
    const [only, ...more] = found
    return only === undefined || more.length > 0 || contenders > 1 ? Option.none() : Option.some(asPublication(only))
  })

  /** A published container's publication. A list that can't be read leaves its address open. */
  const publicationOf = (post: ContainerPost, account: Account, since: DateTime.Utc) =>
    publishedAs(post, account, since).pipe(
      Effect.catchIf(
        (error) => error._tag !== "DatabaseUnavailable",
        () => Effect.succeedNone
      ),
      Effect.map(Option.getOrElse(() => withoutAddress))
    )

  /** Looks for a post of which no container is known, by its text. */
  const findByText = Effect.fnUntraced(function* (post: ContainerPost, account: Account, since: DateTime.Utc) {
    if (comparedText(post.text) === "") {
      return yield* new OutcomeUnknown({
        message: `This post has no text by which it could be found on ${name}`,
        conclusive: true
      })
    }
    const { complete, contenders, found } = yield* candidates(post, account, since)
    const oldest = found.at(-1)
    if (oldest !== undefined) {
      if (found.length >= contenders) return Option.some(asPublication(oldest))
      return yield* new OutcomeUnknown({
        message: `${name} shows a post with this text, but another post of this account with the same text may be the one`,
        conclusive: true
      })
    }
    return yield* complete
      ? Effect.succeedNone
      : new OutcomeUnknown({
          message: `${name} has not shown the post among the newest of the account, whose list is too long to be read whole`,
          conclusive: true
        })
  })

  /** Asks for the container of a send. */
  const askFor = Effect.fnUntraced(function* (
    post: ContainerPost,
    container: string,
    account: Account,
    sentAt: DateTime.Utc
  ): Effect.fn.Return<Publication, PlatformError | Accepted | Dropped | DatabaseUnavailable> {
    const state = yield* stateOf(account, container)
    if (Option.exists(state, ({ status }) => status === "PUBLISHED")) {
      return yield* publicationOf(post, account, sentAt)
    }
    const ended = Option.match(state, { onNone: () => undefined, onSome: endOf })
    if (ended !== undefined) return yield* new Dropped({ message: ended })
    if (Option.isNone(state) && (yield* isPast(post.madeAt, remembered))) {
      const found = yield* findByText(post, account, sentAt)
      return Option.isSome(found) ? found.value : yield* new OutcomeUnknown({ message: forgotten, conclusive: true })
    }
    if (Option.exists(state, ({ status }) => status === "IN_PROGRESS")) {
      return yield* new Accepted({ message: `${name} is publishing this post`, askAfter: soon })
    }
    return yield* new OutcomeUnknown({
      message: (yield* isPast(sentAt, usualWait))
        ? `${unconfirmed} within ${containerHours} hours. It is asked until that is certain`
        : unconfirmed
    })
  })

  return {
    /** The longest time for which the platform may process a container. */
    longestProcessing: lifetime,
    reconcile: Effect.fn(`${name}.reconcile`)(function* (prepared, account, sentAt) {
      const post = yield* readPost.toReconcile(prepared, account)
      const { container, madeAt } = post
      if (container === undefined) {
        const found = yield* findByText(post, account, sentAt)
        return Option.isSome(found) ? found.value : yield* new OutcomeUnknown({ message: unconfirmed })
      }
      const look = askFor(post, container, account, sentAt)
      return yield* look.pipe(openUntil(DateTime.addDuration(madeAt, remembered), sentAt))
    }),
    find: Effect.fn(`${name}.find`)(function* (prepared, account, since, until) {
      const post = yield* readPost.toReconcile(prepared, account)
      if (post.container === undefined) return yield* findByText(post, account, since)
      const state = yield* stateOf(account, post.container)
      if (Option.isNone(state)) {
        // Meta forgets containers. A younger one is only not found at the moment.
        return (yield* isPast(post.madeAt, lifetime))
          ? yield* findByText(post, account, since)
          : yield* new OutcomeUnknown({ message: unconfirmed })
      }
      if (state.value.status === "PUBLISHED") return Option.some(yield* publicationOf(post, account, since))
      if (endOf(state.value) !== undefined) return Option.none()
      const isSettled = state.value.status === "FINISHED" && (yield* isPast(until ?? since, longestRequest))
      return isSettled ? Option.none() : yield* new OutcomeUnknown({ message: unconfirmed })
    }),
    findAddress: Effect.fn(`${name}.findAddress`)(function* (prepared, account, publishedAt) {
      return yield* publishedAs(yield* readPost.toReconcile(prepared, account), account, publishedAt)
    }),
    unmatched: Effect.fn(`${name}.unmatched`)(function* (account, since, until) {
      const lists = yield* Effect.forEach(paths.lists(account), (path) => listPosts(account, path, since))
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
