import type { ComponentChildren } from "preact"
import { useContext } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { OutlookMark } from "./PostChip.tsx"

interface MorePostsProps {
  /** The posts that have no room. */
  readonly posts: ReadonlyArray<PostJson>
  readonly onClick: () => void
  readonly children: ComponentChildren
}

/** Leads to the posts of a day that have no room in its cell, and says if some of them need somebody. */
export const MorePosts = ({ children, onClick, posts }: MorePostsProps) => {
  const Mark = useContext(OutlookMark)
  return (
    <button type="button" class="calendar-more" onClick={onClick}>
      {children}
      {Mark !== undefined && <Mark posts={posts} />}
    </button>
  )
}
