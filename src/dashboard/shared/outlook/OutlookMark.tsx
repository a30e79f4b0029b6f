import { serviceNow } from "../../api/clock.ts"
import type { PostJson } from "../../api/posts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { isDueSoon } from "./findChecked.ts"
import { useAllChecked } from "./useChecked.ts"

export interface OutlookMarkProps {
  /** One post, or several that are not shown. */
  readonly posts: ReadonlyArray<PostJson>
}

const Mark = ({ posts }: OutlookMarkProps) => {
  const needing = useAllChecked(posts).checked.flatMap(({ findings, state }) =>
    state === "needs_you" ? findings.slice(0, 1) : []
  )
  const [first] = needing
  if (first === undefined) return null
  const ofSeveral = needing.length === 1 ? "1 of them needs you" : `${needing.length} of them need you`
  return (
    <span class="outlook-mark status-unknown" title={posts.length === 1 ? first.message : ofSeveral}>
      <Icon name="warning" size={12} />
      <span class="only-read">, {posts.length === 1 ? `needs you: ${first.message}` : ofSeveral}</span>
    </span>
  )
}

/** Marks posts that need somebody before their time. An opened post says what was found. */
export const OutlookMark = ({ posts }: OutlookMarkProps) => {
  const now = serviceNow()
  return posts.some((post) => isDueSoon(post, now)) ? <Mark posts={posts} /> : null
}
