import type { PostJson } from "../../api/postStatus.ts"
import { Link } from "../../shared/router.tsx"
import { classes } from "../../ui/classes.ts"
import { Icon } from "../../ui/Icon.tsx"
import { formatClock } from "../../ui/time/time.ts"
import { useNow } from "../../ui/time/Time.tsx"
import { formatLongDay, isPastSlot, newPostPath, newPostTime, type Slot } from "./range.ts"

interface AddLinkProps {
  readonly slot: Slot
  /** The queue's free slots there, the earliest first. */
  readonly free: ReadonlyArray<Date> | undefined
  /** The posts of the day. */
  readonly posts: ReadonlyArray<PostJson>
  /** True if the Tab key passes it by. The view of a day has it too. */
  readonly isInGrid?: boolean
}

/** Begins a post at the first free slot, which it shows. Without one, it appears with the pointer. */
export const AddLink = ({ free = [], isInGrid = false, posts, slot }: AddLinkProps) => {
  const now = useNow()
  if (isPastSlot(slot, now)) return null
  const [first] = free
  const time = first ?? newPostTime(slot, now, posts)
  const label = `New post on ${formatLongDay(slot.day)}, ${formatClock(time)}`
  return (
    <Link
      class={classes("calendar-add", first !== undefined && "calendar-free")}
      href={newPostPath(slot, now, free, posts)}
      aria-label={label}
      title={first === undefined ? label : `${label}. Free: ${free.map((each) => formatClock(each)).join(", ")}`}
      {...(isInGrid && { tabindex: -1 })}
    >
      <Icon name="plus" size={first === undefined ? 14 : 11} />
      {first !== undefined && <span class="numbers">{formatClock(time)}</span>}
    </Link>
  )
}
