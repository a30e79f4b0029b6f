import type { PostJson } from "../../api/posts.ts"
import { useShortcut } from "../../shared/shortcuts.ts"
import { type CalendarView, movedBy } from "./range.ts"
import { postAt } from "./useCalendarSelection.ts"

/** The hours by which each key moves a post. */
const keySteps: Readonly<Record<CalendarView, Readonly<Record<string, number>>>> = {
  month: { ArrowLeft: -24, ArrowRight: 24, ArrowUp: -24 * 7, ArrowDown: 24 * 7 },
  week: { ArrowLeft: -24, ArrowRight: 24, ArrowUp: -1, ArrowDown: 1 },
  day: { ArrowLeft: -24, ArrowRight: 24, ArrowUp: -1, ArrowDown: 1 }
}

const describeStep = (hours: number): string => {
  const size = Math.abs(hours)
  const unit = size === 1 ? "hour" : size === 24 ? "day" : "week"
  return `Move the post a${size === 1 ? "n" : ""} ${unit} ${hours > 0 ? "later" : "earlier"}`
}

export interface CalendarKeysOptions {
  readonly view: CalendarView
  readonly find: (id: string) => PostJson | undefined
  readonly openId: string | undefined
  readonly move: (post: PostJson, to: Date) => void
  readonly startMove: ((post: PostJson) => void) | undefined
  readonly duplicate: ((post: PostJson) => Promise<void>) | undefined
  readonly close: (() => void) | undefined
}

/** The keys apply to the focused post, or else to the open one. */
export const useCalendarKeys = (options: CalendarKeysOptions) => {
  const { close, duplicate, find, move, openId, startMove, view } = options
  const withPost = (act: ((post: PostJson) => unknown) | undefined) =>
    act &&
    (() => {
      const id = postAt(document.activeElement) ?? openId
      const post = id === undefined ? undefined : find(id)
      if (post !== undefined) act(post)
    })
  useShortcut({ keys: "d", label: "Move the post to…", group: "Calendar" }, withPost(startMove))
  useShortcut({ keys: "c", label: "Duplicate the post", group: "Calendar" }, withPost(duplicate))
  useShortcut({ keys: "Escape", label: "Close the post", group: "Calendar" }, close)
  const by = (key: string) => {
    const hours = keySteps[view][key] ?? 0
    const step = (post: PostJson) => {
      if (post.scheduled_at === null) startMove?.(post)
      else move(post, movedBy(post.scheduled_at, hours))
    }
    const shortcut = { keys: `Shift+${key}`, label: describeStep(hours), group: "Calendar" }
    return [shortcut, withPost(startMove && step)] as const
  }
  useShortcut(...by("ArrowRight"))
  useShortcut(...by("ArrowLeft"))
  useShortcut(...by("ArrowDown"))
  useShortcut(...by("ArrowUp"))
}
