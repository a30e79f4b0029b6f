import type { PostJson } from "../../api/posts.ts"
import { hasFilters, type SharedFilters } from "../../shared/filters/filters.ts"
import { isFound, useSearch } from "../../shared/filters/Marked.tsx"
import { ClearFilters } from "../../shared/filters/NoMatch.tsx"
import { MakerFilter, PlatformFilter, StatusFilter, TagFilter } from "../../shared/filters/PostFilters.tsx"
import { SearchField } from "../../shared/filters/SearchField.tsx"
import type { CalendarPosts } from "./useCalendarPosts.ts"

export interface CalendarFiltersProps {
  readonly filters: SharedFilters
  readonly posts: CalendarPosts
}

/** The filters are in the address. A search dims posts instead of hiding them. */
export const CalendarFilters = ({ filters, posts }: CalendarFiltersProps) => {
  const search = useSearch()
  const shown: ReadonlyArray<PostJson> = [...Array.from(posts.byDay.values()).flat(), ...posts.drafts]
  const found = search === undefined ? 0 : shown.filter((post) => isFound(search, post)).length
  return (
    <div class="calendar-filters" role="group" aria-label="Filters">
      <SearchField label="Search the calendar" text={filters.text} />
      <StatusFilter status={filters.status} />
      <PlatformFilter platform={filters.platform} />
      <TagFilter tag={filters.tag} />
      <MakerFilter by={filters.by} posts={posts.all.values()} />
      {hasFilters({ ...filters, from: undefined, to: undefined }) && <ClearFilters />}
      <span class="calendar-found secondary small" role="status">
        {search === undefined || posts.isLoading ? "" : `${found} of ${shown.length} match`}
      </span>
    </div>
  )
}
