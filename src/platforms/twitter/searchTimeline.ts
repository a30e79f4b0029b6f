import { DateTime, Duration, Effect, Option } from "effect"
import { HttpClientRequest } from "effect/http"
import { OutcomeUnknown, Unavailable } from "../../domain/publishing/platformError.ts"
import { deletedTargetRetention } from "../../domain/publishing/retryPolicy.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import type { TwitterConfig } from "./config.ts"
import { aheadOf } from "../outcome.ts"
import type { Account, UnmatchedPosts } from "../PlatformClient.ts"
import type { TwitterApi } from "./api.ts"
import { closedAccount, isOwnAnswer, problemDetail, rateLimited, refusedApplication } from "./problem.ts"
import {
  canonicalText,
  type MediaIdentity,
  postsOfThread,
  postsWithText,
  postWithMedia,
  readPosts,
  TimelinePage,
  type TimelinePost,
  withoutMediaLinks
} from "./timeline.ts"

const readPage = readResponse(TimelinePage)

/** X's pages have the number of posts, or posts, or errors. Other JSON may come from something in front of X. */
const isPage = (page: TimelinePage): boolean =>
  typeof page.meta?.result_count === "number" || readPosts(page).length > 0 || (page.errors ?? []).length > 0

/** X's clock may be behind the clock that stored a send's start. */
const clockSlack = Duration.seconds(5)
/** X may create a post this long after its request began. */
const longestRequest = Duration.minutes(15)

/** X refuses an `end_time` that is less than ten seconds ago. */
const pastEnd = Duration.minutes(1)

const maxPages = 3

type Field = "attachments" | "conversation_id"

/** X's present names for fields, and the earlier names, which some of its guides show. */
const fieldsWith = (more: ReadonlyArray<Field>) =>
  [
    { "post.fields": ["created_at", "entities", "note_post", ...more].join(",") },
    { "tweet.fields": ["created_at", "entities", "note_tweet", ...more].join(",") }
  ] as const

const wholeSecond = (time: DateTime.Utc): string =>
  DateTime.formatIso(DateTime.startOf(time, "second")).replace(".000Z", "Z")

/** An unreadable timeline says nothing about the post, so the read counts as no look. */
const unreadable = (message: string) =>
  new Unavailable({ message: `X's timeline could not be read to find the post: ${message}` })

const tooLong = new OutcomeUnknown({
  message: "X has not shown the post among the newest of the account's timeline, which is too long to be read whole",
  conclusive: true
})

interface Sought {
  readonly text: string
  readonly media: ReadonlyArray<MediaIdentity> | null
  /** Null for a post that is not a reply. */
  readonly conversation: string | null
}

export const makeTimelineSearch = (config: TwitterConfig, api: TwitterApi) => {
  const request = Effect.fnUntraced(function* (account: Account, params: Readonly<Record<string, string>>) {
    return yield* api
      .send(
        account,
        HttpClientRequest.get(`${config.apiUrl}/2/users/${encodeURIComponent(account.accountId)}/tweets`, {
          acceptJson: true,
          urlParams: { max_results: "100", ...params }
        })
      )
      .pipe(Effect.catchTag(["NoResponse", "Unavailable"], ({ message }) => unreadable(message)))
  })

  const decode = Effect.fnUntraced(function* (response: PlatformResponse) {
    // Without credits X shows no timeline, so a look waits for the operator too.
    const refused = refusedApplication(response)
    if (refused !== undefined) return yield* refused
    if (response.status === 429 && isOwnAnswer(response)) return yield* rateLimited(response)
    const page = response.status === 200 ? Option.filter(readPage(response), isPage) : Option.none<TimelinePage>()
    // X also answers 200 with errors in place of the posts.
    const isRefused = Option.exists(page, ({ data, errors }) => (errors ?? []).length > 0 && (data ?? []).length === 0)
    if (Option.isSome(page) && !isRefused) return page.value
    return yield* closedAccount(response) ?? unreadable(problemDetail(response) ?? `X answered ${response.status}`)
  })

  /** `known` is the known lead of this process's clock over X's clock. */
  const readTimeline = Effect.fnUntraced(function* (
    account: Account,
    from: DateTime.Utc,
    end?: DateTime.Utc,
    more: ReadonlyArray<Field> = [],
    known: Duration.Duration = Duration.zero
  ) {
    /** X refuses an `end_time` that its clock has not reached. */
    const rangeAt = (now: DateTime.Utc, ahead: Duration.Duration) =>
      end !== undefined &&
      DateTime.isLessThan(DateTime.addDuration(end, pastEnd), DateTime.subtractDuration(now, ahead))
        ? { start_time: wholeSecond(from), end_time: wholeSecond(end) }
        : { start_time: wholeSecond(from) }
    const [present, earlier] = fieldsWith(more)
    let range = rangeAt(yield* DateTime.now, known)
    let named: typeof present | typeof earlier = present
    let first = yield* request(account, { ...range, ...named })
    // Read right after the first response, because more pages take time.
    const now = yield* DateTime.now
    const ahead = aheadOf(first.headers, now)
    const rangeOfX = rangeAt(now, ahead)
    if (first.status === 400 && "end_time" in range && !("end_time" in rangeOfX)) {
      range = rangeOfX
      first = yield* request(account, { ...range, ...named })
    }
    if (first.status === 400) {
      named = earlier
      first = yield* request(account, { ...range, ...named })
    }
    let page = yield* decode(first)
    const posts = [...readPosts(page)]
    for (let pages = 1; pages < maxPages; pages++) {
      const token = page.meta?.next_token ?? null
      if (token === null) break
      page = yield* decode(yield* request(account, { ...range, ...named, pagination_token: token }))
      posts.push(...readPosts(page))
    }
    return { ahead, posts, complete: (page.meta?.next_token ?? null) === null }
  })

  /**
   * Posts between two times by this service's clocks. Reads again from an earlier time if the clocks are ahead of X's,
   * or until a later time if they are behind. Otherwise a post could look too old or too new, and would be sent twice.
   */
  const readSince = Effect.fnUntraced(function* (
    account: Account,
    since: DateTime.Utc,
    end: DateTime.Utc | undefined,
    more: ReadonlyArray<Field> = []
  ) {
    const from = DateTime.subtractDuration(since, clockSlack)
    const read = yield* readTimeline(account, from, end, more)
    const { ahead } = read
    if (Duration.isLessThanOrEqualTo(Duration.abs(ahead), clockSlack)) return { ...read, from }
    const isFast = Duration.isPositive(ahead)
    if (!isFast && end === undefined) return { ...read, from }
    const earlier = isFast ? DateTime.subtractDuration(from, ahead) : from
    const later = isFast ? end : end && DateTime.subtractDuration(end, ahead)
    return { ...(yield* readTimeline(account, earlier, later, more, ahead)), from: earlier }
  })

  /**
   * The id of this target's post: it has the text, and was created at `since` or later by a request that began before
   * `until`. If X names a reply's conversation, it must be the thread's: finding none is safer than finding another
   * thread's post. Fails with a conclusive OutcomeUnknown if the timeline is too long, or other targets may own the
   * posts.
   */
  const searchTimeline = Effect.fn("Twitter.searchTimeline")(function* (
    account: Account,
    { conversation, media, text }: Sought,
    since: DateTime.Utc,
    until?: DateTime.Utc
  ) {
    const end = until && DateTime.addDuration(until, longestRequest)
    const { complete, from, posts } = yield* readSince(account, since, end, [
      ...(media === null ? [] : (["attachments"] as const)),
      ...(conversation === null ? [] : (["conversation_id"] as const))
    ])
    const withText = (shown: ReadonlyArray<TimelinePost>) =>
      conversation === null
        ? postsWithText(shown, text, from)
        : postsWithText(postsOfThread(shown, conversation), text, from, account.username)
    if (media !== null) {
      const own = postWithMedia(posts, media, from)
      if (own !== undefined) return Option.some(own)
      const alike = withText(withoutMediaLinks(posts))
      const published = alike.length === 0 ? new Set() : yield* account.others.published(alike)
      if (alike.some((id) => !published.has(id))) {
        return yield* new OutcomeUnknown({
          message: "X shows a post with this text and with media, but does not say whether it is this post's media",
          conclusive: true
        })
      }
      return yield* complete ? Effect.succeedNone : tooLong
    }
    const shown = withText(posts)
    if (shown.length > 0) {
      const wanted = canonicalText(text)
      const unresolved = yield* account.others.unresolved(DateTime.subtractDuration(from, longestRequest))
      const contenders = 1 + unresolved.filter((other) => canonicalText(other) === wanted).length
      const published = yield* account.others.published(shown)
      const [oldest, ...more] = shown.filter((id) => !published.has(id))
      if (oldest !== undefined) {
        const known = DateTime.subtractDuration(yield* DateTime.now, deletedTargetRetention)
        if (DateTime.isLessThan(from, known)) {
          return yield* new OutcomeUnknown({
            message:
              "X shows a post with this text, but it may be so old that it belongs to a post that was deleted here",
            conclusive: true
          })
        }
        if (1 + more.length >= contenders) return Option.some(oldest)
        return yield* new OutcomeUnknown({
          message: "X shows a post with this text, but another post of this account with the same text may be the one",
          conclusive: true
        })
      }
    }
    return yield* complete ? Effect.succeedNone : tooLong
  })

  const unmatched = Effect.fn("Twitter.unmatched")(function* (
    account: Account,
    since: DateTime.Utc,
    until: DateTime.Utc
  ) {
    const { complete, from, posts } = yield* readSince(account, since, DateTime.addDuration(until, longestRequest))
    const texts = yield* account.others.unresolved(from)
    const matched = new Set(texts.flatMap((text) => postsWithText(posts, text, from, account.username)))
    const published = yield* account.others.published(posts.map(({ id }) => id))
    const left = posts.filter(({ id }) => !matched.has(id) && !published.has(id))
    return { posts: left, complete } satisfies UnmatchedPosts
  })

  return { searchTimeline, unmatched }
}
