import type { PostJson } from "../../api/postStatus.ts"
import { inZone } from "../../ui/time/zone.ts"
import { startOfDay } from "../../ui/time/time.ts"

/** As the service lists it. */
interface ListedSlot {
  readonly at: string
  /** The platforms of posts that may take it; null for all. */
  readonly platforms: ReadonlyArray<string> | null
  readonly post_ids: ReadonlyArray<string>
}

const minuteMillis = 60_000

/** The hour of a new post on a day without posts. */
export const usualHour = 9

export const usualTime = (day: Date): Date => {
  const time = startOfDay(day)
  time.setHours(usualHour)
  return time
}

const minuteOf = (at: Date | string): number => Math.floor(new Date(at).getTime() / minuteMillis)

type Planned = Pick<PostJson, "id" | "scheduled_at">

/** True if any of the posts has this minute. */
export const isTaken = (at: Date, posts: ReadonlyArray<Planned>): boolean =>
  posts.some(({ scheduled_at: other }) => other !== null && minuteOf(other) === minuteOf(at))

/** The usual hour of a day, or the first full hour after it that is ahead and has no post. */
export const freeHour = (day: Date, now: Date, posts: ReadonlyArray<Planned>): Date | undefined => {
  const end = startOfDay(day, 1)
  for (let hour = usualHour; ; hour++) {
    const time = startOfDay(day)
    time.setHours(hour)
    if (time >= end) return undefined
    if (time > now && !isTaken(time, posts)) return time
  }
}

/** The slots that no post has taken, if they take a post for these platforms. */
export const freeSlots = (
  slots: ReadonlyArray<ListedSlot>,
  now: Date,
  { platforms = [], postId }: { readonly platforms?: ReadonlyArray<string>; readonly postId?: string | undefined } = {}
): ReadonlyArray<Date> =>
  slots
    .filter(({ at, platforms: only, post_ids: posts }) => {
      const isFree = posts.every((id) => id === postId)
      const fits = only === null || platforms.every((platform) => only.some((other) => other === platform))
      return isFree && fits && minuteOf(at) > minuteOf(now)
    })
    .map(({ at }) => new Date(at))

/** The first free slot of a day, or of a queue without one that day, the first free hour. */
export const proposedTime = (
  day: Date,
  now: Date,
  { posts, slots }: { readonly posts: ReadonlyArray<Planned>; readonly slots: ReadonlyArray<Date> }
): Date | undefined => {
  const [from, to] = [startOfDay(day), startOfDay(day, 1)]
  return slots.map((slot) => inZone(slot)).find((slot) => slot >= from && slot < to) ?? freeHour(day, now, posts)
}
