import { useEffect, useRef } from "preact/hooks"
import { usePages } from "../../api/pages.ts"
import { type PostJson, postPage } from "../../api/posts.ts"
import { type Filters, hasFilters, readFilters, toRequest } from "../../shared/filters/filters.ts"
import { LazyBulkBar } from "../../shared/bulk/LazyBulkBar.tsx"
import { type SelectionState, useSelection } from "../../shared/bulk/useSelection.ts"
import { SearchProvider, usePattern } from "../../shared/filters/Marked.tsx"
import { NoMatch } from "../../shared/filters/NoMatch.tsx"
import { useCan } from "../../shared/me.ts"
import { LoadError } from "../../shared/page/LoadError.tsx"
import { PageHeader } from "../../shared/page/PageHeader.tsx"
import { Link, useLocation } from "../../shared/router.tsx"
import { useShortcut } from "../../shared/shortcuts.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"
import { useMedia } from "../../ui/useMedia.ts"
import { showRow, useVisibleRows } from "../../ui/useVisibleRows.ts"
import { FilterBar } from "./FilterBar.tsx"
import { narrowRowHeight, PostRow, rowHeight as wideRowHeight } from "./PostRow.tsx"

/** In milliseconds, for the first page. */
const refreshEvery = 30_000
const rowsAhead = 40

/** The width below which rows get two lines, as in posts.css. */
const narrow = window.matchMedia("(width < 880px)")

interface ListProps {
  readonly posts: ReadonlyArray<PostJson>
  readonly onNearEnd: () => void
  readonly selected: SelectionState
}

const rowOf = (element: Element | null): number | undefined => {
  const position = element?.closest("[aria-posinset]")?.getAttribute("aria-posinset")
  return position === null || position === undefined ? undefined : Number(position) - 1
}

const PostList = ({ onNearEnd, posts, selected }: ListProps) => {
  const list = useRef<HTMLUListElement>(null)
  const rowHeight = useMedia(narrow) ? narrowRowHeight : wideRowHeight
  const { first, last } = useVisibleRows(list, { count: posts.length, rowHeight })
  const nearEnd = useRef(onNearEnd)
  nearEnd.current = onNearEnd
  // After each page: a page of a search may add no rows.
  useEffect(() => {
    if (last + rowsAhead >= posts.length) nearEnd.current()
  })

  const wanted = useRef<number | undefined>(undefined)
  const focusWanted = () => {
    const row = list.current?.querySelector(`[aria-posinset="${(wanted.current ?? -2) + 1}"] a`)
    if (!(row instanceof HTMLElement)) return
    wanted.current = undefined
    row.focus({ preventScroll: true })
  }
  useEffect(focusWanted)
  const lastFocused = useRef<number | undefined>(undefined)
  const step = (by: number) => () => {
    const current = rowOf(document.activeElement) ?? lastFocused.current
    const next = Math.min(posts.length - 1, Math.max(0, current === undefined ? first : current + by))
    if (list.current === null || posts.length === 0) return
    wanted.current = next
    lastFocused.current = next
    showRow(list.current, next, rowHeight)
    focusWanted()
  }
  useShortcut({ keys: "j", label: "Next post", group: "Posts" }, step(1))
  useShortcut({ keys: "k", label: "Previous post", group: "Posts" }, step(-1))
  const select = (post: PostJson, isRange: boolean) => {
    if (isRange) selected.extend(posts, post.id)
    else selected.toggle(post)
  }
  const selectFocused = (isRange: boolean) => () => {
    const post = posts[rowOf(document.activeElement) ?? -1]
    if (post !== undefined) select(post, isRange)
  }
  const { canSelect } = selected
  useShortcut({ keys: "x", label: "Select the post", group: "Posts" }, canSelect ? selectFocused(false) : undefined)
  useShortcut(
    { keys: "Shift+x", label: "Select all posts up to this one", group: "Posts" },
    canSelect ? selectFocused(true) : undefined
  )
  useShortcut(
    { keys: "Control+a", label: "Select all that are loaded", group: "Posts" },
    selected.posts.size === 0
      ? undefined
      : () => {
          selected.add(posts, undefined)
        }
  )
  const selectByClick = (event: MouseEvent) => {
    const post = posts[(event.target instanceof Element ? rowOf(event.target) : undefined) ?? -1]
    // Other modifier keys open a link in a tab or window.
    const isWanted = selected.isOn || (event.shiftKey && selected.posts.size > 0)
    if (!canSelect || !isWanted || post === undefined) return
    if (event.target instanceof Element && event.target.closest(".posts-select, button") !== null) return
    event.preventDefault()
    event.stopPropagation()
    select(post, event.shiftKey)
  }
  return (
    <ul
      ref={list}
      class="posts-list"
      aria-label="Posts"
      data-selecting={selected.isOn || undefined}
      onClickCapture={selectByClick}
    >
      {posts.slice(first, last).map((post, index) => (
        <PostRow
          key={post.id}
          post={post}
          index={first + index}
          count={posts.length}
          isSelected={canSelect ? selected.has(post.id) : undefined}
          onSelect={(isRange) => {
            select(post, isRange)
          }}
        />
      ))}
    </ul>
  )
}

interface SearchStateProps {
  readonly filters: Filters
  readonly found: number
  readonly isSearching: boolean
  readonly hasMore: boolean
}

const SearchState = ({ filters: { by, text }, found, hasMore, isSearching }: SearchStateProps) => {
  const what = text === undefined ? "posts by this maker" : `“${text}”`
  const count = `${found.toLocaleString("en-US")}${hasMore ? "+" : ""} ${found === 1 && !hasMore ? "post" : "posts"}`
  return (
    <p class="posts-search secondary small" role="status">
      {by === undefined && text === undefined
        ? ""
        : isSearching
          ? `Searching for ${what}… ${found === 0 ? "Nothing yet in the posts that were looked through" : `${count} found`}`
          : text === undefined
            ? count
            : `${count} with ${what}`}
    </p>
  )
}

const NewPost = () => (
  <Link class="button button-primary" href="/compose">
    New post
  </Link>
)

export const Page = () => {
  const { query } = useLocation()
  const can = useCan()
  const filters = readFilters(query)
  const request = postPage(toRequest(filters))
  const { by, text } = filters
  const pattern = usePattern(text)
  const selected = useSelection()
  // The service scans the posts for these, so the list is not polled.
  const isSearch = by !== undefined || text !== undefined
  const { error, hasMore, isLoading, isLoadingMore, items, loadMore, moreError, retry } = usePages(
    request,
    isSearch ? {} : { every: refreshEvery }
  )
  const isEmpty = items?.length === 0
  useEffect(() => {
    if (isEmpty) loadMore()
  })
  return (
    <div class="page posts">
      <PageHeader
        title="Posts"
        actions={
          selected.canSelect && (
            <Button
              kind="quiet"
              size="small"
              icon="check"
              aria-pressed={selected.isOn}
              onClick={() => {
                selected.switchOn(!selected.isOn)
              }}
            >
              Select
            </Button>
          )
        }
      />
      <FilterBar filters={filters} posts={items ?? []} />
      <SearchState
        filters={filters}
        found={items?.length ?? 0}
        isSearching={isLoading || isLoadingMore}
        hasMore={hasMore}
      />
      <LoadError error={error} onRetry={retry} />
      {isLoading && (
        <>
          <Loading label="Loading the posts" />
          <Skeleton lines={8} height="row" />
        </>
      )}
      {items !== undefined && items.length > 0 && (
        <SearchProvider value={pattern}>
          <PostList key={request.path} posts={items} onNearEnd={loadMore} selected={selected} />
        </SearchProvider>
      )}
      <LoadError error={moreError} onRetry={retry} />
      {isLoadingMore && <Skeleton lines={2} height="row" />}
      {isEmpty &&
        !hasMore &&
        (hasFilters(filters) ? (
          <NoMatch title="No posts match" />
        ) : (
          <EmptyState icon="posts" title="No posts yet" action={can("posts:write") && <NewPost />}>
            <p>Write a post, and choose where it goes and when. Drafts, scheduled and published posts appear here.</p>
          </EmptyState>
        ))}
      <LazyBulkBar selected={selected} find={(id) => items?.find((post) => post.id === id)} place="this list" />
    </div>
  )
}
