import type { RefObject } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { useShortcut } from "../../shared/shortcuts.ts"
import { dayKey } from "../../ui/time/day.ts"
import { type CalendarView, movedBy } from "./range.ts"
import { postAt } from "./useCalendarSelection.ts"

/** The hours by which each key moves a post. */
const keySteps: Readonly<Record<CalendarView, Readonly<Record<string, number>>>> = {
  month: { ArrowLeft: -24, ArrowRight: 24, ArrowUp: -24 * 7, ArrowDown: 24 * 7 },
  week: { ArrowLeft: -24, ArrowRight: 24, ArrowUp: -1, ArrowDown: 1 }
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

/** The keys apply to the focused post, or else to the open one. Returns the arrow keys' handler. */
export const useCalendarKeys = (
  root: RefObject<HTMLElement | null>,
  { close, duplicate, find, move, openId, startMove, view }: CalendarKeysOptions
) => {
  const focusAfterMove = useRef<{ readonly id: string; readonly day: string } | undefined>(undefined)
  // `useEffect` can be delayed until after the next key press, which may have moved the post on.
  useLayoutEffect(() => {
    const moved = focusAfterMove.current
    if (moved === undefined) return
    focusAfterMove.current = undefined
    const chip = root.current?.querySelector<HTMLElement>(`[data-drag="${CSS.escape(moved.id)}"]`)
    // If the day is full and hides the post, this button is focused.
    const more = root.current?.querySelector<HTMLElement>(`[data-drop="${CSS.escape(moved.day)}"] .calendar-more`)
    const next = chip ?? more
    next?.focus()
  })
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
  if (startMove === undefined) return undefined
  return (post: PostJson, key: string): boolean => {
    const hours = keySteps[view][key]
    if (hours === undefined) return false
    if (post.scheduled_at === null) startMove(post)
    else {
      const to = movedBy(post.scheduled_at, hours)
      focusAfterMove.current = { id: post.id, day: dayKey(to) }
      move(post, to)
    }
    return true
  }
}
