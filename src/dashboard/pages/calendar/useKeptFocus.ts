import type { RefObject } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { postAt } from "./useCalendarSelection.ts"

const find = (root: HTMLElement, selector: string) => root.querySelector<HTMLElement>(selector) ?? undefined

/** Focuses a post, or what shows its day if the day is full. Returns false if neither is drawn. */
export const focusPost = (root: HTMLElement | null, id: string, day: string | undefined): boolean => {
  if (root === null) return false
  const inDay = `[data-day="${CSS.escape(day ?? "")}"]`
  const next =
    find(root, `[data-drag="${CSS.escape(id)}"]`) ??
    find(root, `${inDay} .calendar-more`) ??
    find(root, `${inDay} button.calendar-day-number`)
  next?.focus()
  return next !== undefined
}

/**
 * Keeps the focus in the calendar. A post that moves to another day is drawn there anew, and what had the focus is
 * gone. `dayOf` is the day on which a post is now.
 */
export const useKeptFocus = (root: RefObject<HTMLElement | null>, dayOf: (id: string) => string | undefined) => {
  const held = useRef<string | undefined>(undefined)
  const latest = useRef(dayOf)
  latest.current = dayOf
  useLayoutEffect(() => {
    const hold = ({ target }: Event) => {
      // A dialog gives the focus back.
      if (target instanceof Element && target.closest("dialog") !== null) return
      held.current = target instanceof Element && root.current?.contains(target) === true ? postAt(target) : undefined
    }
    document.addEventListener("focusin", hold)
    document.addEventListener("pointerdown", hold)
    return () => {
      document.removeEventListener("focusin", hold)
      document.removeEventListener("pointerdown", hold)
    }
  }, [root])
  const restore = () => {
    const id = held.current
    const { activeElement } = document
    if (id === undefined || (activeElement !== null && activeElement !== document.body)) return
    if (document.querySelector("dialog[open]") !== null) return
    focusPost(root.current, id, latest.current(id))
  }
  // Runs after each render, because a reload may also remove what has the focus.
  useLayoutEffect(restore)
}
