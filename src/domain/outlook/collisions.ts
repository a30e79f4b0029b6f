import { DateTime, Duration } from "effect"
import type { IntegrationId, PostId } from "../ids.ts"
import { platformName } from "../plain/platforms.ts"
import type { LivePlatform } from "../platform.ts"
import type { Finding } from "./finding.ts"

/** A post that goes out on an account. */
export interface PlannedSend {
  readonly postId: PostId
  readonly at: DateTime.Utc
  readonly platform: LivePlatform
  readonly integrationId: IntegrationId | null
  /** Equal for texts that the platform takes for the same. Empty if there is no text. */
  readonly texts: ReadonlyArray<string>
  /** True if the platform refuses a text that the account has posted before. */
  readonly refusesRepeats: boolean
}

export interface PublishedText {
  readonly platform: LivePlatform
  readonly text: string
  readonly at: DateTime.Utc
}

/** Where repetitions are allowed, one within this time may still be a mistake. */
const repeatNoticed = Duration.hours(24)

const closeTogether = Duration.minutes(1)

const inUtc = (at: DateTime.Utc) => `${DateTime.formatIso(at).slice(0, 16).replace("T", " ")} UTC`

const keyOf = (platform: LivePlatform, text: string) => `${platform} ${text}`

/**
 * Finds posts that repeat a text of their account, and posts that follow another one within a minute. `sends` are in
 * the order of their times. Of two posts, the later one has the finding. A step is a text or a send.
 */
export function* findCollisions(
  sends: ReadonlyArray<PlannedSend>,
  published: ReadonlyArray<PublishedText>
): Generator<void, ReadonlyMap<PostId, ReadonlyArray<Finding>>> {
  const found = new Map<PostId, Array<Finding>>()
  const add = (send: PlannedSend, finding: Pick<Finding, "code" | "level" | "message" | "help">) => {
    const own = found.get(send.postId) ?? []
    own.push({ ...finding, platform: send.platform, integration_id: send.integrationId })
    found.set(send.postId, own)
  }
  const texts = new Map<string, { readonly at: DateTime.Utc; readonly postId: PostId | null }>()
  for (const { at, platform, text } of published) {
    const key = keyOf(platform, text)
    const known = texts.get(key)
    if (known === undefined || DateTime.isGreaterThan(at, known.at)) texts.set(key, { at, postId: null })
    yield
  }
  const latest = new Map<LivePlatform, DateTime.Utc>()
  for (const send of sends) {
    const { at, platform, postId, refusesRepeats } = send
    const name = platformName(platform)
    const earlier = send.texts.flatMap((text) => texts.get(keyOf(platform, text)) ?? [])
    const repeated = earlier.find((each) => each.postId !== postId)
    const isRecent = (each: { readonly at: DateTime.Utc }) =>
      !DateTime.isGreaterThan(at, DateTime.addDuration(each.at, repeatNoticed))
    if (repeated !== undefined && (refusesRepeats || isRecent(repeated))) {
      const when = repeated.postId === null ? "was published" : "is due"
      add(send, {
        code: "text_repeated",
        level: refusesRepeats ? "needs_you" : "note",
        message: `The same text ${when} on this account on ${name} at ${inUtc(repeated.at)}${refusesRepeats ? `, and ${name} refuses repetitions` : ""}`,
        help: refusesRepeats
          ? "Change the text, or remove one of the posts"
          : "Remove one of the posts, if it is a mistake"
      })
    }
    for (const text of send.texts) {
      const key = keyOf(platform, text)
      if (texts.get(key)?.postId !== postId) texts.set(key, { at, postId })
    }
    const before = latest.get(platform)
    if (before !== undefined && DateTime.isLessThan(at, DateTime.addDuration(before, closeTogether))) {
      add(send, {
        code: "same_minute",
        level: "note",
        message: `Another post is due on this account on ${name} within the minute before it`,
        help: "Change the time of one of them, unless it is meant so"
      })
    }
    latest.set(platform, at)
    yield
  }
  return found
}
