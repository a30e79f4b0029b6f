import type { Post } from "../../../domain/posts/post.ts"
import { addDays } from "../../ui/time/time.ts"
import { inZone } from "../../ui/time/zone.ts"
import { type Action, alreadyThere, type Done, ifOpen, type ManyChoice } from "./action.ts"
import { retime } from "./move.ts"
import { move } from "./openers.ts"

type PostJson = typeof Post.Encoded

/** Moves posts from the times that they have. */
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
  request: ifOpen((post: PostJson, now) =>
    post.scheduled_at === null ? timeless : retime(post, timeOf(post.scheduled_at), now)
  ),
  doing: (posts) => `Moving ${posts}`,
  done: (posts) => `Moved ${posts}`,
  undo: moveBack
})

/** Moves posts by days. They keep their time of day. */
export const moveByDays = (days: number): ManyChoice =>
  moveFrom((at) => addDays(inZone(at), days), "These have no time that could be moved.")

/** Moves posts to a time of day. They stay on their days. */
export const moveToClock = (hour: number, minute: number): ManyChoice =>
  moveFrom((at) => {
    const to = inZone(at)
    to.setHours(hour, minute, 0, 0)
    return to
  }, "These have no date yet. Set one first.")
