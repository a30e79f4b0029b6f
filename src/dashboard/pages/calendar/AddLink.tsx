import { Link } from "../../shared/router.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { formatClock } from "../../ui/time/time.ts"
import { useNow } from "../../ui/time/Time.tsx"
import { formatLongDay, isPastSlot, newPostTime, type Slot } from "./range.ts"

interface AddLinkProps {
  readonly slot: Slot
  /** True if the Tab key passes it by. The view of a day has it too. */
  readonly isInGrid?: boolean
}

export const AddLink = ({ isInGrid = false, slot }: AddLinkProps) => {
  const now = useNow()
  if (isPastSlot(slot, now)) return null
  const time = newPostTime(slot, now)
  const label = `New post on ${formatLongDay(slot.day)}, ${formatClock(time)}`
  return (
    <Link
      class="calendar-add"
      href={`/compose?at=${encodeURIComponent(time.toISOString())}`}
      aria-label={label}
      title={label}
      {...(isInGrid && { tabindex: -1 })}
    >
      <Icon name="plus" size={14} />
    </Link>
  )
}
