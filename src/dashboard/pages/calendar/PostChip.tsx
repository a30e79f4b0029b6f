import { type PostJson, postStatus } from "../../api/posts.ts"
import { classes } from "../../ui/classes.ts"
import { Icon } from "../../ui/Icon.tsx"
import { PlatformMark, platformNames } from "../../ui/PlatformMark.tsx"
import { statuses } from "../../ui/StatusBadge.tsx"
import { formatClock, formatExact } from "../../ui/time.ts"
import { isMovable } from "./useCalendarPosts.ts"

/** What can be done with a post on the calendar. */
export interface ChipActions {
  readonly open: (id: string) => void
  /** Undefined where the person's role can't move posts. */
  readonly moveByKey: ((post: PostJson, key: string) => boolean) | undefined
}

export interface PostChipProps extends ChipActions {
  readonly post: PostJson
  /** Two lines: more of the text. */
  readonly isTall?: boolean
  readonly isOpen?: boolean
}

const maxWords = 120

/** The beginning of a post's text, on one line. */
export const firstWords = ({ content, media }: PostJson): string => {
  const line = content.slice(0, maxWords).trim().replaceAll(/\s+/g, " ")
  return line === "" ? (media.length > 0 ? "Media without text" : "No text yet") : line
}

const platformsOf = ({ post_targets }: PostJson) => post_targets.map(({ integrations }) => integrations.platform)

/** A post as people hear it. */
const describe = (post: PostJson): string => {
  const { word } = statuses[postStatus(post)]
  const time = post.scheduled_at === null ? "no time yet" : formatClock(new Date(post.scheduled_at))
  const names = platformsOf(post).map((platform) => platformNames[platform])
  return `${time}, ${firstWords(post)}, ${word}, ${names.join(" and ")}`
}

/** A post on the calendar: when, where, the first words and its status. A click opens it. */
export const PostChip = ({ isOpen = false, isTall = false, moveByKey, open, post }: PostChipProps) => {
  const status = postStatus(post)
  const canMove = moveByKey !== undefined && isMovable(post)
  const { scheduled_at: at } = post
  return (
    <button
      type="button"
      class={classes(
        "calendar-chip",
        `status-${status}`,
        `calendar-chip-${status}`,
        isTall && "calendar-chip-tall",
        canMove && "calendar-chip-movable"
      )}
      data-drag={post.id}
      aria-label={describe(post)}
      aria-current={isOpen}
      aria-keyshortcuts={canMove ? "Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp Shift+ArrowDown D" : undefined}
      title={`${statuses[status].word}${at === null ? "" : ` · ${formatExact(new Date(at))}`}`}
      onClick={() => {
        open(post.id)
      }}
      onKeyDown={(event) => {
        if (!event.shiftKey || !canMove) return
        if (moveByKey(post, event.key)) event.preventDefault()
      }}
    >
      <span class="calendar-chip-facts">
        <Icon name={statuses[status].icon} size={12} class="calendar-chip-status" />
        {at !== null && <span class="calendar-chip-time numbers">{formatClock(new Date(at))}</span>}
        <span class="calendar-chip-marks">
          {platformsOf(post).map((platform) => (
            <PlatformMark key={platform} platform={platform} size={11} />
          ))}
        </span>
      </span>
      <span class="calendar-chip-words">{firstWords(post)}</span>
    </button>
  )
}
