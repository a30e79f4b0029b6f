import { isOpen, type PostJson } from "../../api/postStatus.ts"
import { addDays } from "../../ui/time/time.ts"
import { inZone } from "../../ui/time/zone.ts"
import { savableTags } from "../savableTags.ts"
import { type Action, alreadyThere, type AskedAction, type Done, ifOpen, type ManyChoice } from "./action.ts"
import { approve } from "./decide.ts"
import { retime } from "./move.ts"
import { move } from "./openers.ts"
import { schedule, unschedule } from "./publish.ts"
import { remove } from "./remove.ts"

export const moveMany: Action = {
  ...move,
  label: "Move",
  fits: (post, now) => move.fits(post, now) && post.scheduled_at !== null
}

const moveBack = (done: ReadonlyArray<Done>): ManyChoice => {
  const times = new Map(done.map(({ before }) => [before.id, before.scheduled_at]))
  return {
    request: ifOpen(({ id }) => {
      const to = times.get(id)
      return to === undefined ? alreadyThere : { kind: "change", body: { scheduled_at: to } }
    }),
    doing: (posts) => `Moving ${posts} back`,
    done: (posts) => `Moved ${posts} back`
  }
}

const moveFrom = (timeOf: (at: string) => Date, timeless: string): ManyChoice => ({
  request: ifOpen((post, now) =>
    post.scheduled_at === null ? timeless : retime(post, timeOf(post.scheduled_at), now)
  ),
  doing: (posts) => `Moving ${posts}`,
  done: (posts) => `Moved ${posts}`,
  undo: moveBack
})

export const moveByDays = (days: number): ManyChoice =>
  moveFrom((at) => addDays(inZone(at), days), "These have no time that could be moved.")

export const moveToClock = (hour: number, minute: number): ManyChoice =>
  moveFrom((at) => {
    const to = inZone(at)
    to.setHours(hour, minute, 0, 0)
    return to
  }, "These have no date yet. Set one first.")

const tag: Action = { label: "Tags", scope: "posts:write", fits: isOpen }

export const addTag = (added: string): ManyChoice => ({
  request: ifOpen(({ tags }) =>
    tags.includes(added) ? alreadyThere : { kind: "change", body: { tags: [...savableTags(tags), added] } }
  ),
  doing: (posts) => `Tagging ${posts} with #${added}`,
  done: (posts) => `Tagged ${posts} with #${added}`
})

export const removeTag = (removed: string): ManyChoice => ({
  request: ifOpen(({ tags }) =>
    tags.includes(removed)
      ? { kind: "change", body: { tags: savableTags(tags.filter((each) => each !== removed)) } }
      : alreadyThere
  ),
  doing: (posts) => `Removing #${removed} from ${posts}`,
  done: (posts) => `Removed #${removed} from ${posts}`
})

/** The tags of posts that can be changed, most frequent first. */
export const tagsOf = (posts: ReadonlyArray<PostJson>): ReadonlyArray<readonly [tag: string, count: number]> => {
  const counts = new Map<string, number>()
  for (const post of posts.filter(isOpen)) for (const each of post.tags) counts.set(each, (counts.get(each) ?? 0) + 1)
  return Array.from(counts).toSorted((left, right) => right[1] - left[1] || left[0].localeCompare(right[0]))
}

/** Actions without a question ask with a form of their own. */
export const manyActions: ReadonlyArray<Action | AskedAction> = [moveMany, tag, schedule, approve, unschedule, remove]
