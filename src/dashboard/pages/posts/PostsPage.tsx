import { useEffect } from "preact/hooks"
import { type PagesState, usePages } from "../../api/pages.ts"
import { type PostJson, postPage } from "../../api/posts.ts"
import { type Filters, hasFilters, readFilters, toRequest } from "../../shared/filters/filters.ts"
import { LazyBulkBar } from "../../shared/bulk/LazyBulkBar.tsx"
import { type SelectionState, useSelection } from "../../shared/bulk/useSelection.ts"
import { SearchProvider, useSearchOf } from "../../shared/filters/Marked.tsx"
import { NoMatch } from "../../shared/filters/NoMatch.tsx"
import { useCan } from "../../shared/me.ts"
import { LoadError } from "../../shared/page/LoadError.tsx"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { PageHeader } from "../../shared/page/PageHeader.tsx"
import { Link, useLocation } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import { Skeleton } from "../../ui/display/Skeleton.tsx"
import { BegunPosts } from "../../shared/drafts/BegunPosts.tsx"
import { FilterBar } from "./FilterBar.tsx"
import { PostList } from "./PostList.tsx"

/** Milliseconds between reloads of the first page. */
const refreshEvery = 30_000

const describeSearch = ({ by, text }: Filters, list: PagesState<PostJson>): string => {
  if (by === undefined && text === undefined) return ""
  const { hasMore, isLoading, isLoadingMore, items = [] } = list
  const found = items.length
  const what = text === undefined ? "posts by this maker" : `“${text}”`
  const count = `${found.toLocaleString("en-US")}${hasMore ? "+" : ""} ${found === 1 && !hasMore ? "post" : "posts"}`
  if (isLoading || isLoadingMore) {
    return `Searching for ${what}… ${found === 0 ? "Nothing yet in the posts that were looked through" : `${count} found`}`
  }
  return text === undefined ? count : `${count} with ${what}`
}

const Nothing = ({ filters }: { readonly filters: Filters }) => {
  const can = useCan()
  if (hasFilters(filters)) return <NoMatch title="No posts match" />
  const newPost = (
    <Link class="button button-primary" href="/compose">
      New post
    </Link>
  )
  return (
    <EmptyState icon="posts" title="No posts yet" action={can("posts:write") && newPost}>
      <p>Write a post, and choose where it goes and when. Drafts, scheduled and published posts appear here.</p>
    </EmptyState>
  )
}

const SelectButton = ({ selected }: { readonly selected: SelectionState }) => (
  <Button kind="quiet" size="small" icon="check" aria-pressed={selected.isOn} onClick={selected.switchMode}>
    Select
  </Button>
)

export const Page = () => {
  const filters = readFilters(useLocation().query)
  const { by, text } = filters
  const request = postPage(toRequest(filters))
  // Searches are not polled, because the service has to examine many posts for them.
  const isSearch = by !== undefined || text !== undefined
  const list = usePages(request, isSearch ? {} : { every: refreshEvery })
  const search = useSearchOf(text)
  const selected = useSelection()
  const { items = [] } = list
  const isEmpty = list.items?.length === 0
  useEffect(() => {
    if (isEmpty) list.loadMore()
  })
  return (
    <div class="page posts">
      <PageHeader title="Posts" actions={selected.canSelect && <SelectButton selected={selected} />} />
      <BegunPosts />
      <FilterBar filters={filters} posts={items} />
      <p class="posts-search secondary small" role="status">
        {describeSearch(filters, list)}
      </p>
      <LoadState of={list} label="Loading the posts" lines={8} height="row" />
      {items.length > 0 && (
        <SearchProvider value={search}>
          <PostList key={request.path} posts={items} onNearEnd={list.loadMore} selected={selected} />
        </SearchProvider>
      )}
      <LoadError error={list.moreError} onRetry={list.refetch} />
      {list.isLoadingMore && <Skeleton lines={2} height="row" />}
      {isEmpty && !list.hasMore && <Nothing filters={filters} />}
      <LazyBulkBar selected={selected} find={(id) => items.find((post) => post.id === id)} place="this list" />
    </div>
  )
}
