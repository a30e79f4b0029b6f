import { useLayoutEffect, useRef } from "preact/hooks"
import { countParts } from "../../../api/chain.ts"
import { firstWords, type PostJson } from "../../../api/posts.ts"
import { postStatus } from "../../../api/postStatus.ts"
import { Marked } from "../../../shared/filters/Marked.tsx"
import { PostPicture } from "../../../shared/PostPicture.tsx"
import { sentLater } from "../../../shared/sentLater.ts"
import { outMarkOf } from "../../../shared/whatIsOut.ts"
import { namePlatforms } from "../../../../domain/plain/platforms.ts"
import { StatusBadge } from "../../../ui/display/StatusBadge.tsx"
import { formatExact } from "../../../ui/time/time.ts"

/** Pixels between the card, its chip and the edges of the window. */
const gap = 6

/** Beside the chip, so that the chips above and below stay in reach. */
const place = (card: HTMLElement, chip: HTMLElement) => {
  const at = chip.getBoundingClientRect()
  const { height, width } = card.getBoundingClientRect()
  const fitsAfter = at.right + gap + width <= window.innerWidth - gap
  const left = fitsAfter ? at.right + gap : Math.max(gap, at.left - gap - width)
  card.style.left = `${left}px`
  card.style.top = `${Math.max(gap, Math.min(at.top, window.innerHeight - height - gap))}px`
}

const maxTextLength = 2000

const textOf = (post: PostJson): string => {
  const text = [post, ...post.thread].map(({ content }) => content.trim()).join("\n\n")
  return text === "" ? firstWords(post) : text.slice(0, maxTextLength)
}

export interface ChipCardProps {
  readonly id: string
  readonly post: PostJson
  readonly chip: HTMLElement
  readonly onEnter: () => void
  readonly onLeave: () => void
}

/** Shows the whole text, the state and the platforms, for which a chip has no room. */
export const ChipCard = ({ chip, id, onEnter, onLeave, post }: ChipCardProps) => {
  const card = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (card.current !== null) place(card.current, chip)
    chip.setAttribute("aria-describedby", id)
    return () => chip.removeAttribute("aria-describedby")
  }, [chip, id])
  const { post_targets, scheduled_at: at, tags } = post
  const parts = countParts(post)
  const out = outMarkOf(post)
  const platforms = namePlatforms(post_targets.map(({ integrations }) => integrations.platform))
  return (
    <div ref={card} id={id} class="calendar-card" role="tooltip" onPointerEnter={onEnter} onPointerLeave={onLeave}>
      <p class="calendar-card-head">
        <StatusBadge status={postStatus(post)} />
        <span class="secondary small">
          {at === null ? "Without a time" : formatExact(new Date(at))}
          {` · ${platforms}`}
          {parts > 1 && ` · ${parts} parts`}
          {out !== undefined && ` · ${out.full}`}
          {sentLater(post).map(({ platform }) => ` · later on ${platform}`)}
        </span>
      </p>
      <div class="calendar-card-body">
        <p class="calendar-card-text" dir="auto">
          <Marked text={textOf(post)} />
        </p>
        <PostPicture post={post} />
      </div>
      {tags.length > 0 && (
        <p class="secondary small" dir="auto">
          {tags.map((tag) => `#${tag}`).join(" ")}
        </p>
      )}
    </div>
  )
}
