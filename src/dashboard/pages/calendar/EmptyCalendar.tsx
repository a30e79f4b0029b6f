import { noFilters } from "../../shared/filters/filters.ts"
import { Link, setQuery } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import type { CalendarView } from "./range.ts"

export interface EmptyCalendarProps {
  readonly view: CalendarView
  readonly isFiltered: boolean
  readonly hasDrafts: boolean
  readonly canWrite: boolean
}

/** Stands where no post is planned, or none that the filters leave. */
export const EmptyCalendar = ({ canWrite, hasDrafts, isFiltered, view }: EmptyCalendarProps) => (
  <div class="calendar-empty">
    {isFiltered ? (
      <EmptyState
        icon="filter"
        title={`No posts of this ${view} match`}
        action={
          <Button
            onClick={() => {
              setQuery(noFilters)
            }}
          >
            Clear the filters
          </Button>
        }
      >
        <p>No post fits these filters.</p>
      </EmptyState>
    ) : (
      <EmptyState
        icon="calendar"
        title={`Nothing is planned this ${view}`}
        action={
          canWrite && (
            <Link class="button button-primary" href="/compose">
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
