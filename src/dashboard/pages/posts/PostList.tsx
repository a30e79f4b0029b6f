import { useEffect, useRef } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { type SelectionState, useSelectKeys } from "../../shared/bulk/useSelection.ts"
import { useShortcut } from "../../shared/shortcuts.ts"
import { useMedia } from "../../ui/useMedia.ts"
import { showRow, useVisibleRows } from "../../ui/useVisibleRows.ts"
import { narrowRowHeight, PostRow, rowHeight as wideRowHeight } from "./PostRow.tsx"

const rowsAhead = 40

/** Narrower windows have rows of two lines, as in posts.css. */
const narrow = window.matchMedia("(width < 880px)")

const rowOf = (element: Element | null): number | undefined => {
  const position = element?.closest("[aria-posinset]")?.getAttribute("aria-posinset")
  return position === null || position === undefined ? undefined : Number(position) - 1
}

/** The keys j and k move the focus, even to rows that are not drawn yet. */
const useRows = (posts: ReadonlyArray<PostJson>, onNearEnd: () => void) => {
  const list = useRef<HTMLUListElement>(null)
  const rowHeight = useMedia(narrow) ? narrowRowHeight : wideRowHeight
  const { first, last } = useVisibleRows(list, { count: posts.length, rowHeight })
  // Runs after each render, because a page of a search may add no rows.
  useEffect(() => {
    if (last + rowsAhead >= posts.length) onNearEnd()
  })

  const wanted = useRef<number | undefined>(undefined)
  const focusWanted = () => {
    const row = list.current?.querySelector(`[aria-posinset="${(wanted.current ?? -2) + 1}"] a`)
    if (!(row instanceof HTMLElement)) return
    wanted.current = undefined
    row.focus({ preventScroll: true })
  }
  useEffect(focusWanted)
  const lastFocused = useRef<number | undefined>(undefined)
  const step = (by: number) => () => {
    const current = rowOf(document.activeElement) ?? lastFocused.current
    const next = Math.min(posts.length - 1, Math.max(0, current === undefined ? first : current + by))
    if (list.current === null || posts.length === 0) return
    wanted.current = next
    lastFocused.current = next
    showRow(list.current, next, rowHeight)
    focusWanted()
  }
  useShortcut({ keys: "j", label: "Next post", group: "Posts" }, step(1))
  useShortcut({ keys: "k", label: "Previous post", group: "Posts" }, step(-1))
  return { list, first, last }
}

/** Selects rows by keys, by clicks with Shift, and in selection mode by any click. */
const useRowSelection = (posts: ReadonlyArray<PostJson>, selected: SelectionState) => {
  const { add, canSelect, extend, isOn, posts: chosen, toggle } = selected
  const select = (post: PostJson | undefined, isRange: boolean) => {
    if (post === undefined) return
    if (isRange) extend(posts, post.id)
    else toggle(post)
  }
  const postAt = (element: EventTarget | null) => posts[(element instanceof Element ? rowOf(element) : undefined) ?? -1]
  useSelectKeys("Posts", selected, (isRange) => select(postAt(document.activeElement), isRange))
  useShortcut(
    { keys: "Control+a", label: "Select all that are loaded", group: "Posts" },
    chosen.size === 0 ? undefined : () => add(posts, undefined)
  )
  const selectByClick = (event: MouseEvent) => {
    const post = postAt(event.target)
    // With other modifier keys, a click opens a tab or window.
    const isWanted = isOn || (event.shiftKey && chosen.size > 0)
    if (!canSelect || !isWanted || post === undefined) return
    if (event.target instanceof Element && event.target.closest(".posts-select, button") !== null) return
    event.preventDefault()
    event.stopPropagation()
    select(post, event.shiftKey)
  }
  return { select, selectByClick }
}

export interface PostListProps {
  readonly posts: ReadonlyArray<PostJson>
  readonly onNearEnd: () => void
  readonly selected: SelectionState
}

export const PostList = ({ onNearEnd, posts, selected }: PostListProps) => {
  const { first, last, list } = useRows(posts, onNearEnd)
  const { select, selectByClick } = useRowSelection(posts, selected)
  return (
    <ul
      ref={list}
      class="posts-list"
      aria-label="Posts"
      data-selecting={selected.isOn || undefined}
      onClickCapture={selectByClick}
    >
      {posts.slice(first, last).map((post, index) => (
        <PostRow
          key={post.id}
          post={post}
          index={first + index}
          count={posts.length}
          isSelected={selected.canSelect ? selected.has(post.id) : undefined}
          onSelect={(isRange) => select(post, isRange)}
        />
      ))}
    </ul>
  )
}
