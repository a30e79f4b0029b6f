import { countParts } from "../api/chain.ts"
import type { PostJson } from "../api/posts.ts"
import { classes } from "../ui/classes.ts"
import { Icon } from "../ui/Icon.tsx"
import { outMarkOf } from "./whatIsOut.ts"

interface PartsMarkProps {
  readonly post: PostJson
  readonly class: string
  readonly isShort?: boolean
}

/** The published amount of a partly published post, or the number of its parts. */
export const PartsMark = ({ class: className, isShort = false, post }: PartsMarkProps) => {
  const count = countParts(post)
  const out = outMarkOf(post)
  if (out !== undefined) {
    const { full, short, words } = out
    return (
      <span class={classes("parts-mark", "parts-out", "status-published", "numbers", className)} title={full}>
        <Icon name="check" size={12} />
        {isShort && short !== undefined && (
          <span class="parts-count" aria-hidden="true">
            {short}
          </span>
        )}
        <span class={isShort ? "only-read" : undefined}>{words}</span>
      </span>
    )
  }
  if (count === 1) return null
  return (
    <span class={classes("parts-mark", "numbers", className)} title={`A thread of ${count} parts`}>
      <Icon name="thread" size={12} />
      <span class="parts-count">{count}</span>
      <span class={isShort ? "only-read" : undefined}> parts</span>
    </span>
  )
}
