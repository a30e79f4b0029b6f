import { serviceNow } from "../../api/clock.ts"
import { outlook, outlookFreshFor } from "../../api/outlook.ts"
import type { PostJson } from "../../api/posts.ts"
import { useQuery } from "../../api/query.ts"
import { Time } from "../../ui/time/Time.tsx"
import { Link } from "../router.tsx"
import { FindingList } from "./FindingList.tsx"
import { isDueSoon, stillChecked } from "./findChecked.ts"

/** The findings of the last check, for a post that is due soon. */
export const OutlookNote = ({ post }: { readonly post: PostJson }) => {
  const { data } = useQuery(isDueSoon(post, serviceNow()) ? outlook : undefined, { freshFor: outlookFreshFor })
  const checked = stillChecked(
    data?.data.posts.find(({ id }) => id === post.id),
    post
  )
  if (data === undefined || checked === undefined || checked.findings.length === 0) return null
  return (
    <section class="outlook-note" aria-label="What a check has found">
      <FindingList post={checked} isShown />
      <p class="secondary small">
        Checked <Time at={data.data.checked_at} as="sentence" />. <Link href="/upcoming">See all that is due soon</Link>
      </p>
    </section>
  )
}
