import type { PagesState } from "../../api/pages.ts"
import { LoadMore } from "../../ui/controls/LoadMore.tsx"
import { LoadError } from "./LoadError.tsx"

export const ListEnd = ({ list }: { readonly list: Omit<PagesState<unknown>, "items"> }) =>
  list.moreError === undefined ? (
    list.hasMore && <LoadMore isLoading={list.isLoadingMore} onMore={list.loadMore} />
  ) : (
    <LoadError error={list.moreError} onRetry={list.refetch} />
  )
