import { countParts } from "../api/chain.ts"
import type { PostJson } from "../api/posts.ts"
import { classes } from "../ui/classes.ts"
import { Icon } from "../ui/Icon.tsx"

interface PartsMarkProps {
  readonly post: PostJson
  readonly class: string
  /** Whether only the number has space. */
  readonly isShort?: boolean
}

/** How many parts the thread of a post has; nothing for a post without a thread. */
export const PartsMark = ({ class: className, isShort = false, post }: PartsMarkProps) => {
  const count = countParts(post)
  if (count === 1) return null
  return (
    <span class={classes("parts-mark", "numbers", className)} title={`A thread of ${count} parts`}>
      <Icon name="thread" size={12} />
      <span class="parts-count">{count}</span>
      <span class={isShort ? "only-read" : undefined}> parts</span>
    </span>
  )
}
