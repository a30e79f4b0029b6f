import { DateTime, Option } from "effect"
import { counted } from "../counted.ts"
import { describeStates } from "../plain/outlookStates.ts"
import { findTimeZone } from "../timeZoneName.ts"
import { byLevel, type Finding, isQuiet } from "./finding.ts"
import type { CheckedOutlook } from "./checkedOutlook.ts"
import type { OutlookCounts, OutlookPost } from "./outlook.ts"

/** The most lines of a message; the others are counted. */
const maxLines = 20

interface Line {
  readonly post: OutlookPost
  readonly finding: Finding
  others: number
}

const atTime = (at: DateTime.Utc, timeZone: string): string => {
  const zone = Option.getOrElse(findTimeZone(timeZone), () => DateTime.zoneMakeOffset(0))
  return DateTime.format(DateTime.setZone(at, zone), {
    locale: "en-US",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23"
  })
}

/** One line for all posts of which the same was found. */
const linesOf = (posts: ReadonlyArray<OutlookPost>): ReadonlyArray<Line> => {
  const lines = new Map<string, Line>()
  for (const post of posts) {
    for (const finding of post.findings) {
      const key = `${finding.code} ${finding.message}`
      const line = lines.get(key)
      if (line === undefined) lines.set(key, { post, finding, others: 0 })
      else line.others += 1
    }
  }
  return Array.from(lines.values()).toSorted((one, other) => byLevel(one.finding, other.finding))
}

const writeLine = ({ finding, others, post }: Line, timeZone: string): string => {
  const more = others === 0 ? "" : ` and ${counted(others, "other post")}`
  return `${atTime(post.scheduled_at, timeZone)} “${post.excerpt}”${more}: ${finding.message}. ${finding.help}.`
}

/** In the small hours, the night after the window's day is not tomorrow's. */
const untilWhen = (hour: number): string => (hour < 6 ? "in the next 36 hours" : "until tomorrow night")

const titleOf = (
  counts: OutlookCounts,
  { hasNotes, hour }: { readonly hasNotes: boolean; readonly hour: number }
): string => {
  const { fine, posts } = counts
  const when = untilWhen(hour)
  if (posts === 0) return `No posts ${when}`
  const notes = hasNotes && fine === posts ? ", with notes" : ""
  return `${counted(posts, "post")} ${when}: ${describeStates(counts)}${notes}`
}

/** True if people are told, although the workspace does not want to be told every day. */
export const isWorthTelling = ({ counts, posts }: Pick<CheckedOutlook, "counts" | "posts">): boolean =>
  counts.need_you > 0 ||
  counts.unchecked > 0 ||
  posts.some(({ findings }) => findings.some((finding) => !isQuiet(finding)))

/** The title and the text of a notification about a check, each finding with its step. */
export const describeOutlook = (
  { counts, posts, unseen }: Pick<CheckedOutlook, "counts" | "posts" | "unseen">,
  { hour, timeZone }: { readonly hour: number; readonly timeZone: string }
): { readonly title: string; readonly message: string } => {
  const lines = linesOf(posts)
  const listed = lines.slice(0, maxLines).map((line) => writeLine(line, timeZone))
  const others = lines.length - listed.length
  const message = [
    ...listed,
    ...(others === 0 ? [] : [`And ${counted(others, "other finding")}.`]),
    ...(unseen === 0 ? [] : [`${counted(unseen, "later post was", "later posts were")} not checked.`])
  ]
  return {
    title: titleOf(counts, { hour, hasNotes: lines.length > 0 }),
    message:
      message.length === 0 ? "Nothing was found that keeps a post from going out as planned." : message.join("\n")
  }
}
