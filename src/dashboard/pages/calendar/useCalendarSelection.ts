import type { PostJson } from "../../api/posts.ts"
import { type SelectionState, useSelectKeys } from "../../shared/bulk/useSelection.ts"
import type { CalendarPosts } from "./useCalendarPosts.ts"

export const postAt = (element: EventTarget | null): string | undefined =>
  element instanceof Element ? element.closest<HTMLElement>("[data-drag]")?.dataset["drag"] : undefined

const inOrder = ({ byDay, drafts }: CalendarPosts): ReadonlyArray<PostJson> => [
  ...Array.from(byDay)
    .toSorted(([left], [right]) => left.localeCompare(right))
    .flatMap(([, of]) => of),
  ...drafts
]

/** Selects posts by keys, by clicks with a modifier key, and in selection mode by any click. */
export const useCalendarSelection = (posts: CalendarPosts, selected: SelectionState) => {
  const { canSelect, extend, isOn, posts: chosen, toggle } = selected
  const select = (id: string | undefined, isRange: boolean) => {
    const post = id === undefined ? undefined : posts.find(id)
    if (post === undefined) return
    if (isRange) extend(inOrder(posts), post.id)
    else toggle(post)
  }
  const selectByClick = (event: MouseEvent) => {
    const id = postAt(event.target)
    const isWanted = isOn || event.ctrlKey || event.metaKey || event.shiftKey
    if (id === undefined || !isWanted || !canSelect) return
    event.preventDefault()
    event.stopPropagation()
    select(id, event.shiftKey)
  }
  useSelectKeys("Calendar", selected, (isRange) => select(postAt(document.activeElement), isRange))
  const shown = new Map(chosen.size === 0 ? [] : inOrder(posts).map((post) => [post.id, post]))
  return { selectByClick, findShown: (id: string) => shown.get(id) }
}
