import { createContext } from "preact"
import { useContext, useEffect, useMemo, useState } from "preact/hooks"
import { outlook, outlookFreshFor, type OutlookPostJson } from "../../api/outlook.ts"
import type { PostJson } from "../../api/posts.ts"
import { useQuery } from "../../api/query.ts"
import { Icon } from "../../ui/Icon.tsx"
import { needingSomebody, stillChecked } from "./findChecked.ts"

const Needing = createContext<ReadonlyMap<string, OutlookPostJson>>(new Map())
export const NeedingProvider = Needing.Provider

/** Milliseconds after the page is loaded, so that a check delays nothing that the page shows. */
const askAfter = 1000

/** The posts that need somebody before their time. Asks once for all posts, some time after the page is loaded. */
export const useNeeding = (isLoaded: boolean) => {
  const [isAsking, setAsking] = useState(false)
  useEffect(() => {
    if (!isLoaded || isAsking) return undefined
    const timer = setTimeout(() => setAsking(true), askAfter)
    return () => clearTimeout(timer)
  }, [isLoaded, isAsking])
  const { data } = useQuery(isAsking ? outlook : undefined, { freshFor: outlookFreshFor })
  return useMemo(() => needingSomebody(data?.data), [data])
}

/** Marks a post that needs somebody. The opened post says what was found. */
export const OutlookMark = ({ post }: { readonly post: PostJson }) => {
  const found = stillChecked(useContext(Needing).get(post.id), post)?.findings[0]
  return found === undefined ? null : (
    <span class="outlook-mark status-unknown" title={found.message}>
      <Icon name="attention" size={12} />
      <span class="only-read">, needs you: {found.message}</span>
    </span>
  )
}
