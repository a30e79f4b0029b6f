import type { PostJson } from "../../api/posts.ts"
import { Time } from "../../ui/time/Time.tsx"
import { Link } from "../router.tsx"
import { FindingList } from "./FindingList.tsx"
import { useChecked } from "./useChecked.ts"

/** The findings of the last check, for a post that is due soon. */
export const OutlookNote = ({ post }: { readonly post: PostJson }) => {
  const { at, checked } = useChecked(post)
  if (at === undefined || checked === undefined || checked.findings.length === 0) return null
  return (
    <section class="outlook-note" aria-label="What a check has found">
      <FindingList post={checked} isShown />
      <p class="secondary small">
        Checked <Time at={at} as="sentence" />. <Link href="/upcoming">See all that is due soon</Link>
      </p>
    </section>
  )
}
