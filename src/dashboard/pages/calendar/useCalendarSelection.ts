import type { RefObject } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { type SelectionState, useSelectKeys } from "../../shared/bulk/useSelection.ts"
import type { CalendarPosts } from "./useCalendarPosts.ts"

export const postAt = (element: EventTarget | null): string | undefined =>
  (element instanceof Element ? element.closest("[data-drag]")?.getAttribute("data-drag") : undefined) ?? undefined

const useClickCapture = (root: RefObject<HTMLElement | null>, onClick: (event: MouseEvent) => void) => {
  const latest = useRef(onClick)
  latest.current = onClick
  useLayoutEffect(() => {
    const element = root.current
    const see = (event: MouseEvent) => latest.current(event)
    element?.addEventListener("click", see, { capture: true })
    return () => element?.removeEventListener("click", see, { capture: true })
  }, [root])
}

const inOrder = ({ byDay, drafts }: CalendarPosts): ReadonlyArray<PostJson> => [
  ...Array.from(byDay)
    .toSorted(([left], [right]) => left.localeCompare(right))
    .flatMap(([, of]) => of),
  ...drafts
]

/** Selects posts by click and by key. Returns a function that finds a shown post. */
export const useCalendarSelection = (
  root: RefObject<HTMLElement | null>,
  posts: CalendarPosts,
  selected: SelectionState
) => {
  const { canSelect, extend, isOn, posts: chosen, toggle } = selected
  const select = (id: string | undefined, isRange: boolean) => {
    const post = id === undefined ? undefined : posts.find(id)
    if (post === undefined) return
    if (isRange) extend(inOrder(posts), post.id)
    else toggle(post)
  }
  useClickCapture(root, (event) => {
    const id = postAt(event.target)
    const isWanted = isOn || event.ctrlKey || event.metaKey || event.shiftKey
    if (id === undefined || !isWanted || !canSelect) return
    event.preventDefault()
    event.stopPropagation()
    select(id, event.shiftKey)
  })
  useSelectKeys("Calendar", selected, (isRange) => select(postAt(document.activeElement), isRange))
  const shown = new Map(chosen.size === 0 ? [] : inOrder(posts).map((post) => [post.id, post]))
  return (id: string) => shown.get(id)
}
