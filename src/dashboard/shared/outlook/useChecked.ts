import { serviceNow } from "../../api/clock.ts"
import { outlook, outlookFreshFor } from "../../api/outlook.ts"
import type { PostJson } from "../../api/posts.ts"
import { useQuery } from "../../api/query.ts"
import { isDueSoon, stillChecked } from "./findChecked.ts"

/** The last check of a post that is due soon. All posts share one request. */
export const useChecked = (post: PostJson) => {
  const { data } = useQuery(isDueSoon(post, serviceNow()) ? outlook : undefined, { freshFor: outlookFreshFor })
  const checked = data?.data.posts.find(({ id }) => id === post.id)
  return { at: data?.data.checked_at, checked: stillChecked(checked, post) }
}
