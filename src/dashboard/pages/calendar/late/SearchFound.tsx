import { useEffect } from "preact/hooks"
import { usePages } from "../../../api/pages.ts"
import { type PostJson, postPage } from "../../../api/posts.ts"
import { type SharedFilters, toRequest } from "../../../shared/filters/filters.ts"
import { useSearch } from "../../../shared/filters/Marked.tsx"
import { Link } from "../../../shared/router.tsx"
import { type CalendarRange, formatDate } from "../range.ts"
import type { CalendarPosts } from "../useCalendarPosts.ts"

export interface SearchFoundProps {
  readonly filters: SharedFilters
  readonly range: CalendarRange
  readonly posts: CalendarPosts
  /** Shows a post on its day, and focuses it. */
  readonly show: (post: PostJson) => void
  /** True if Enter was pressed, which shows the nearest post. */
  readonly isEntered: boolean
  readonly onShown: () => void
}

const timeOf = ({ scheduled_at: at }: PostJson): number => new Date(at ?? 0).getTime()

interface ElsewhereProps {
  /** Ordered by distance from what is shown. */
  readonly found: ReadonlyArray<PostJson>
  readonly isMore: boolean
  /** Such as `before`. */
  readonly where: string
  readonly show: SearchFoundProps["show"]
}

const Elsewhere = ({ found, isMore, show, where }: ElsewhereProps) => {
  const [nearest] = found
  if (nearest === undefined) return null
  const day = formatDate(new Date(timeOf(nearest)))
  const count = `${found.length}${isMore ? "+" : ""}`
  return (
    <button type="button" class="calendar-found-show" onClick={() => show(nearest)}>
      {found.length === 1 && !isMore ? `1 on ${day}` : `${count} ${where}, the nearest on ${day}`}: show
    </button>
  )
}

const useFound = ({ filters, posts, range }: SearchFoundProps) => {
  const search = useSearch()
  const list = usePages(postPage(toRequest({ ...filters, from: undefined, to: undefined, sort: "newest" })))
  const here = [...Array.from(posts.byDay.values()).flat(), ...posts.drafts].filter((post) => search?.isFound(post))
  const shown = new Set(here.map(({ id }) => id))
  const others = (list.items ?? []).filter(({ id, scheduled_at: at }) => at !== null && !shown.has(id))
  const before = others.filter((post) => timeOf(post) < range.from.getTime())
  const after = others.filter((post) => timeOf(post) >= range.to.getTime())
  const isEmpty = before.length + after.length === 0
  // A page of a search may be empty although there are more.
  useEffect(() => {
    if (isEmpty) list.loadMore()
  })
  return {
    here,
    before: before.toSorted((one, other) => timeOf(other) - timeOf(one)),
    after: after.toSorted((one, other) => timeOf(one) - timeOf(other)),
    isMore: list.hasMore,
    isSearching: search === undefined || list.isLoading || (isEmpty && list.isLoadingMore)
  }
}

/** Says how many posts a search finds in view, and leads to those that are not. */
export const SearchFound = (props: SearchFoundProps) => {
  const { filters, isEntered, onShown, posts, show } = props
  const { after, before, here, isMore, isSearching } = useFound(props)
  useEffect(() => {
    if (!isEntered || isSearching || posts.isLoading) return
    onShown()
    const now = Date.now()
    const next = here.find((post) => timeOf(post) >= now) ?? here[0] ?? after[0] ?? before[0]
    if (next !== undefined) show(next)
  })
  return (
    <div class="calendar-found" role="status">
      <span>{here.length === 0 && isSearching ? "Searching…" : `${here.length} here`}</span>
      <Elsewhere found={before} isMore={isMore} where="before" show={show} />
      <Elsewhere found={after} isMore={isMore} where="after" show={show} />
      {!isSearching && here.length + before.length + after.length === 0 && <span>No post has these words.</span>}
      {before.length + after.length > 1 && (
        <Link href={`/posts?${new URLSearchParams({ text: filters.text ?? "" }).toString()}`}>All as a list</Link>
      )}
    </div>
  )
}
