import { serviceNow } from "../../api/clock.ts"
import { outlook, outlookFreshFor } from "../../api/outlook.ts"
import type { PostJson } from "../../api/posts.ts"
import { useQuery } from "../../api/query.ts"
import { isDueSoon, stillChecked } from "./findChecked.ts"

/** The last checks of those posts that are due soon. All posts share one request. */
export const useAllChecked = (posts: ReadonlyArray<PostJson>) => {
  const now = serviceNow()
  const soon = posts.filter((post) => isDueSoon(post, now))
  const { data } = useQuery(soon.length > 0 ? outlook : undefined, { freshFor: outlookFreshFor })
  const found = data?.data.posts ?? []
  const checked = soon.flatMap((post) => {
    const own = found.find(({ id }) => id === post.id)
    return stillChecked(own, post) ?? []
  })
  return { at: data?.data.checked_at, checked }
}

export const useChecked = (post: PostJson) => {
  const { at, checked } = useAllChecked([post])
  return { at, checked: checked[0] }
}
