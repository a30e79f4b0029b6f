import { serviceNow } from "../../api/clock.ts"
import type { PostJson } from "../../api/posts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { isDueSoon } from "./findChecked.ts"
import { useChecked } from "./useChecked.ts"

const Mark = ({ post }: { readonly post: PostJson }) => {
  const { checked } = useChecked(post)
  const found = checked?.state === "needs_you" ? checked.findings[0] : undefined
  return found === undefined ? null : (
    <span class="outlook-mark status-unknown" title={found.message}>
      <Icon name="warning" size={12} />
      <span class="only-read">, needs you: {found.message}</span>
    </span>
  )
}

/** Marks a post that needs somebody before its time. The opened post says what was found. */
export const OutlookMark = ({ post }: { readonly post: PostJson }) =>
  isDueSoon(post, serviceNow()) ? <Mark post={post} /> : null
