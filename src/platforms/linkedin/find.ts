import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { OutcomeUnknown, Unavailable } from "../../domain/publishing/platformError.ts"
import { deletedTargetRetention } from "../../domain/publishing/retryPolicy.ts"
import { readResponse } from "../call.ts"
import { failAt } from "../outcome.ts"
import type { Account, UnmatchedPosts } from "../PlatformClient.ts"
import type { LinkedinApi } from "./api.ts"
import type { LinkedinConfig } from "./config.ts"
import { detailOf, refusedAccess } from "./problem.ts"
import { fromLittleText } from "./rules/littleText.ts"
import { PostUrn } from "./syntax.ts"

/** The clocks may differ this much. */
const clockSlack = Duration.minutes(1)
/** LinkedIn may create a post this long after its request began. */
const longestRequest = Duration.minutes(15)

const pageSize = 50
const maxPages = 3

const Content = Schema.Struct({
  media: Schema.optionalKey(Schema.Struct({ id: Schema.optionalKey(Schema.String) })),
  multiImage: Schema.optionalKey(
    Schema.Struct({
      images: Schema.optionalKey(Schema.Array(Schema.Struct({ id: Schema.optionalKey(Schema.String) })))
    })
  )
})

const Shown = Schema.Struct({
  id: PostUrn,
  commentary: Schema.optionalKey(Schema.String),
  /** In milliseconds. */
  createdAt: Schema.Finite,
  content: Schema.optionalKey(Content)
})
type Shown = typeof Shown.Type

const readPage = readResponse(Schema.Struct({ elements: Schema.Array(Schema.Unknown) }))
const readShown = Schema.decodeUnknownOption(Schema.toCodecJson(Shown))

/** LinkedIn may change white space and the composition of characters. */
const canonicalText = (text: string): string => text.normalize("NFC").replaceAll(/\s+/g, " ").trim()

const textOf = ({ commentary = "" }: Shown) => canonicalText(fromLittleText(commentary))

const mediaOf = ({ content }: Shown): ReadonlyArray<string> =>
  [content?.media?.id, ...(content?.multiImage?.images ?? []).map(({ id }) => id)].filter((id) => id !== undefined)

export interface Sought {
  readonly text: string
  readonly media: ReadonlyArray<string>
}

/** Looks at a page's posts. A member's posts can't be read, not even by the application that made them. */
export const makePageSearch = (config: LinkedinConfig, api: LinkedinApi) => {
  const readPageAt = Effect.fnUntraced(function* (account: Account, start: number) {
    const request = HttpClientRequest.get(`${config.apiUrl}/rest/posts`, {
      acceptJson: true,
      headers: { "x-restli-method": "FINDER" },
      urlParams: {
        author: account.accountId,
        q: "author",
        count: String(pageSize),
        start: String(start),
        sortBy: "CREATED"
      }
    })
    const response = yield* api.sendIdly(account, request)
    const page = response.status === 200 ? readPage(response) : Option.none()
    if (Option.isSome(page)) return page.value.elements
    return yield* failAt(
      (now) =>
        refusedAccess(response, now) ??
        new Unavailable({ message: `LinkedIn's list of the page's posts could not be read: ${detailOf(response)}` })
    )
  })

  /** The page's posts since a time, newest first. */
  const readSince = Effect.fnUntraced(function* (account: Account, since: DateTime.Utc) {
    const from = DateTime.toEpochMillis(DateTime.subtractDuration(since, clockSlack))
    const posts: Array<Shown> = []
    for (let page = 0; page < maxPages; page++) {
      const elements = yield* readPageAt(account, page * pageSize)
      const shown = elements.flatMap((element) => Option.toArray(readShown(element)))
      posts.push(...shown.filter(({ createdAt }) => createdAt >= from))
      const isLast = elements.length < pageSize || shown.some(({ createdAt }) => createdAt < from)
      if (isLast) return { posts, complete: true }
    }
    return { posts, complete: false }
  })

  /**
   * The URN of this target's post. None if the finder does not show it, which says little: how far it lags is not
   * documented. Conclusive OutcomeUnknown if other targets may own the posts with this text.
   */
  const search = Effect.fn("Linkedin.search")(function* (
    account: Account,
    { media, text }: Sought,
    since: DateTime.Utc,
    until?: DateTime.Utc
  ) {
    const { complete, posts } = yield* readSince(account, since)
    const end = until === undefined ? undefined : DateTime.toEpochMillis(DateTime.addDuration(until, longestRequest))
    const inTime = posts.filter(({ createdAt }) => end === undefined || createdAt < end)
    if (media.length > 0) {
      const own = inTime.find((post) => mediaOf(post).some((urn) => media.includes(urn)))
      if (own !== undefined) return Option.some(own.id)
    }
    const wanted = canonicalText(text)
    // Oldest first. The text of files alone says nothing.
    const alike =
      media.length > 0
        ? []
        : inTime
            .filter((post) => textOf(post) === wanted && mediaOf(post).length === 0)
            .map(({ id }) => id)
            .toReversed()
    if (alike.length > 0) {
      const unresolved = yield* account.others.unresolved(DateTime.subtractDuration(since, longestRequest))
      const contenders = 1 + unresolved.filter((other) => canonicalText(other) === wanted).length
      const published = yield* account.others.published(alike)
      const [oldest, ...more] = alike.filter((id) => !published.has(id))
      if (oldest !== undefined) {
        const known = DateTime.subtractDuration(yield* DateTime.now, deletedTargetRetention)
        if (DateTime.isGreaterThanOrEqualTo(since, known) && 1 + more.length >= contenders) return Option.some(oldest)
        return yield* new OutcomeUnknown({
          message:
            "LinkedIn shows a post with this text, but another post of this account with the same text may be the one",
          conclusive: true
        })
      }
    }
    if (complete) return Option.none()
    return yield* new OutcomeUnknown({
      message: "LinkedIn has not shown the post among the page's newest, which are too many to be read whole",
      conclusive: true
    })
  })

  const unmatched = Effect.fn("Linkedin.unmatched")(function* (
    account: Account,
    since: DateTime.Utc,
    until: DateTime.Utc
  ) {
    const { complete, posts } = yield* readSince(account, since)
    const end = DateTime.toEpochMillis(DateTime.addDuration(until, longestRequest))
    const texts = new Set((yield* account.others.unresolved(since)).map(canonicalText))
    const published = yield* account.others.published(posts.map(({ id }) => id))
    const left = posts.filter((post) => post.createdAt < end && !published.has(post.id) && !texts.has(textOf(post)))
    return {
      posts: left.map((post) => ({
        id: post.id,
        createdAt: DateTime.makeUnsafe(post.createdAt),
        text: fromLittleText(post.commentary ?? "")
      })),
      complete
    } satisfies UnmatchedPosts
  })

  return { search, unmatched }
}
