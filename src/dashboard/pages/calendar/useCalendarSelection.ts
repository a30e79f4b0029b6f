import type { RefObject } from "preact"
import type { PostJson } from "../../api/posts.ts"
import type { SelectionState } from "../../shared/bulk/useSelection.ts"
import { useShortcut } from "../../shared/shortcuts.ts"
import { focusedPost, postAt } from "./focusedPost.ts"
import type { CalendarPosts } from "./useCalendarPosts.ts"
import { useClickCapture } from "./useClickCapture.ts"

const inOrder = ({ byDay, drafts }: CalendarPosts): ReadonlyArray<PostJson> => [
  ...Array.from(byDay)
    .toSorted(([left], [right]) => left.localeCompare(right))
    .flatMap(([, of]) => of),
  ...drafts
]

/** Returns a function that finds a shown post. */
export const useCalendarSelection = (
  root: RefObject<HTMLElement | null>,
  posts: CalendarPosts,
  { canSelect, extend, isOn, posts: chosen, toggle }: SelectionState
) => {
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
  const selectFocused = (isRange: boolean) => () => {
    select(focusedPost(), isRange)
  }
  useShortcut({ keys: "x", label: "Select the post", group: "Calendar" }, canSelect ? selectFocused(false) : undefined)
  useShortcut(
    { keys: "Shift+x", label: "Select all posts up to this one", group: "Calendar" },
    canSelect ? selectFocused(true) : undefined
  )
  const shown = new Map(chosen.size === 0 ? [] : inOrder(posts).map((post) => [post.id, post]))
  return (id: string) => shown.get(id)
}
