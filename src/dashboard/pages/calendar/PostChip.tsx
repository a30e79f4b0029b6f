import { firstWords, type PostJson } from "../../api/posts.ts"
import { isOpen as canChange, postStatus } from "../../api/postStatus.ts"
import { foundWords, isFound, Marked, useSearch } from "../../shared/filters/Marked.tsx"
import { useSelected } from "../../shared/bulk/useSelection.ts"
import { PartsMark } from "../../shared/PartsMark.tsx"
import { sentLater } from "../../shared/sentLater.ts"
import { outMarkOf } from "../../shared/whatIsOut.ts"
import { PostPicture, shownFiles } from "../../shared/PostPicture.tsx"
import { classes } from "../../ui/classes.ts"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"
import { statuses } from "../../ui/display/StatusBadge.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { formatClock, formatExact } from "../../ui/time/time.ts"

export interface ChipActions {
  readonly open: (id: string) => void
  /** Undefined if the person's role can't move posts. */
  readonly moveByKey: ((post: PostJson, key: string) => boolean) | undefined
}

export interface PostChipProps extends ChipActions {
  readonly post: PostJson
  readonly isTall?: boolean
  readonly isOpen?: boolean
}

const platformsOf = ({ post_targets }: PostJson) => post_targets.map(({ integrations }) => integrations.platform)

export const PostChip = ({ isOpen = false, isTall = false, moveByKey, open, post }: PostChipProps) => {
  const status = postStatus(post)
  const canMove = moveByKey !== undefined && canChange(post)
  const { scheduled_at: at } = post
  const search = useSearch()
  const { has, isOn } = useSelected()
  const isSelected = has(post.id)
  const words = search && foundWords(search, post)
  const out = outMarkOf(post)
  const later = sentLater(post).map(({ platform }) => `later on ${platform}`)
  const state = [statuses[status].word, ...(out === undefined ? [] : [out.full]), ...later].join(", ")
  return (
    <button
      type="button"
      class={classes(
        "calendar-chip",
        `status-${status}`,
        `calendar-chip-${status}`,
        isTall && "calendar-chip-tall",
        shownFiles(post).length > 0 && "calendar-chip-pictured",
        canMove && !isOn && "calendar-chip-movable",
        isSelected && "calendar-chip-selected",
        search !== undefined && !isFound(search, post) && "calendar-chip-dim"
      )}
      data-drag={post.id}
      aria-current={isOpen}
      aria-pressed={isOn || isSelected ? isSelected : undefined}
      aria-keyshortcuts={canMove ? "Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp Shift+ArrowDown D C" : undefined}
      title={`${state}${at === null ? "" : ` · ${formatExact(new Date(at))}`}`}
      onClick={() => open(post.id)}
      onKeyDown={(event) => {
        if (!event.shiftKey || !canMove) return
        if (moveByKey(post, event.key)) event.preventDefault()
      }}
    >
      <span class="calendar-chip-facts">
        <Icon name={isSelected ? "check" : statuses[status].icon} size={12} class="calendar-chip-status" />
        {at !== null && <span class="calendar-chip-time numbers">{formatClock(new Date(at))}</span>}
        <span class="calendar-chip-marks">
          {platformsOf(post).map((platform) => (
            <PlatformMark key={platform} platform={platform} size={11} />
          ))}
        </span>
        {later.length > 0 && <Icon name="clock" size={11} />}
        <PartsMark post={post} isShort class="calendar-chip-parts" />
      </span>
      <span class="calendar-chip-words truncate" dir="auto">
        <Marked text={words ?? firstWords(post)} />
      </span>
      <span class="only-read">{statuses[status].word}</span>
      <PostPicture post={post} />
    </button>
  )
}

export interface PostChipsProps extends Omit<PostChipProps, "isOpen" | "post"> {
  readonly posts: ReadonlyArray<PostJson>
  readonly openId: string | undefined
}

export const PostChips = ({ openId, posts, ...props }: PostChipsProps) => (
  <>
    {posts.map((post) => (
      <PostChip key={post.id} post={post} isOpen={post.id === openId} {...props} />
    ))}
  </>
)
