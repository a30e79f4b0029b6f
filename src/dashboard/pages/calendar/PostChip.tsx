import { type ComponentType, createContext } from "preact"
import { useContext } from "preact/hooks"
import { isBlank } from "../../../domain/plain/blankText.ts"
import { platformName } from "../../../domain/plain/platforms.ts"
import { firstWords, type PostJson } from "../../api/posts.ts"
import { isOpen as canChange, postStatus } from "../../api/postStatus.ts"
import { Marked, useSearch } from "../../shared/filters/Marked.tsx"
import { useSelected } from "../../shared/bulk/useSelection.ts"
import { UnsavedMark } from "../../shared/drafts/UnsavedMark.tsx"
import type { OutlookMarkProps } from "../../shared/outlook/OutlookMark.tsx"
import { PartsMark } from "../../shared/PartsMark.tsx"
import { sentLater } from "../../shared/sentLater.ts"
import { PostPicture, shownFiles } from "../../shared/PostPicture.tsx"
import { classes } from "../../ui/classes.ts"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"
import { statuses } from "../../ui/display/StatusBadge.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { formatClock } from "../../ui/time/time.ts"
import type { ChipLines } from "./monthRows.ts"

/** The platforms of all accounts; undefined until they are known. */
const AllPlatforms = createContext<ReadonlyArray<string> | undefined>(undefined)
export const AllPlatformsProvider = AllPlatforms.Provider

/** Marks posts that need somebody; undefined until its code is loaded. */
export const OutlookMark = createContext<ComponentType<OutlookMarkProps> | undefined>(undefined)
export const OutlookMarkProvider = OutlookMark.Provider

export interface ChipActions {
  /** `byKey` is true if the opened post should get the focus. */
  readonly open: (id: string, byKey: boolean) => void
  /** False if the person's role can't move posts. */
  readonly canMove: boolean
}

export interface PostChipProps extends ChipActions {
  readonly post: PostJson
  /** The lines of text below the line of the time. */
  readonly lines?: ChipLines
  readonly isOpen?: boolean
  /** True to show the whole text. */
  readonly isWhole?: boolean
}

/** A chip has room for these. A picture takes the room of one. */
const maxMarks = 4

/** Shows the platforms of a post that does not go to all accounts, and the number of those without room. */
const Platforms = ({ post }: { readonly post: PostJson }) => {
  const all = useContext(AllPlatforms)
  const own = post.post_targets.map(({ integrations }) => integrations.platform)
  if (all === undefined || all.every((platform) => own.some((other) => other === platform))) return null
  const most = shownFiles(post).length > 0 ? maxMarks - 1 : maxMarks
  const marked = own.length > most ? own.slice(0, most - 1) : own
  const others = own.slice(marked.length)
  return (
    <span class="calendar-chip-marks">
      {marked.map((platform) => (
        <PlatformMark key={platform} platform={platform} size={11} />
      ))}
      {others.length > 0 && (
        <span class="numbers" title={others.map(platformName).join(", ")}>
          <span aria-hidden="true">+{others.length}</span>
          <span class="only-read">{others.map(platformName).join(", ")}</span>
        </span>
      )}
    </span>
  )
}

const wholeText = (post: PostJson): string => (isBlank(post.content) ? firstWords(post) : post.content)

export const PostChip = ({ canMove, isOpen = false, isWhole = false, lines = 2, open, post }: PostChipProps) => {
  const status = postStatus(post)
  const isMovable = canMove && canChange(post)
  const { scheduled_at: at } = post
  const search = useSearch()
  const { has, isOn } = useSelected()
  const Mark = useContext(OutlookMark)
  const isSelected = has(post.id)
  return (
    <button
      type="button"
      class={classes(
        "calendar-chip",
        `status-${status}`,
        `calendar-chip-${status}`,
        lines === 1 && "calendar-chip-short",
        isWhole && "calendar-chip-whole",
        shownFiles(post).length > 0 && "calendar-chip-pictured",
        isMovable && !isOn && "calendar-chip-movable",
        isSelected && "calendar-chip-selected",
        search?.isFound(post) === false && "calendar-chip-dim"
      )}
      data-drag={post.id}
      aria-current={isOpen}
      aria-pressed={isOn || isSelected ? isSelected : undefined}
      aria-keyshortcuts={isMovable ? "Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp Shift+ArrowDown D C" : undefined}
      onClick={({ detail }) => open(post.id, detail === 0)}
    >
      <span class="calendar-chip-facts">
        <Icon name={isSelected ? "check" : statuses[status].icon} size={12} class="calendar-chip-status" />
        {at !== null && <span class="calendar-chip-time numbers">{formatClock(new Date(at))}</span>}
        {Mark !== undefined && <Mark posts={[post]} />}
        <Platforms post={post} />
        {sentLater(post).length > 0 && <Icon name="clock" size={11} />}
        <PartsMark post={post} isShort class="calendar-chip-parts" />
        <UnsavedMark id={post.id} />
      </span>
      <span class="calendar-chip-words" dir="auto">
        <Marked text={isWhole ? wholeText(post) : (search?.foundWords(post) ?? firstWords(post))} />
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
