import { NoMatch } from "../../shared/filters/NoMatch.tsx"
import { Link } from "../../shared/router.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import type { CalendarView } from "./range.ts"

export interface EmptyCalendarProps {
  readonly view: CalendarView
  readonly isFiltered: boolean
  readonly hasDrafts: boolean
  readonly canWrite: boolean
  /** The address of the composer. */
  readonly href: string
}

export const EmptyCalendar = ({ canWrite, hasDrafts, href, isFiltered, view }: EmptyCalendarProps) => (
  <div class="calendar-empty">
    {isFiltered ? (
      <NoMatch title={`No posts of this ${view} match`} />
    ) : (
      <EmptyState
        icon="calendar"
        title={`Nothing is planned this ${view}`}
        action={
          canWrite && (
            <Link class="button button-primary" href={href}>
              New post
            </Link>
          )
        }
      >
        <p>
          {hasDrafts
            ? "Give a draft its day, or write a post and choose when it goes out."
            : "Write a post and choose when it goes out. It appears here on its day."}
        </p>
      </EmptyState>
    )}
  </div>
)
