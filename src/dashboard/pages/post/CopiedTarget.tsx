import type { LivePlatform } from "../../../domain/platform.ts"
import { platformName } from "../../../domain/plain/platforms.ts"
import { hasStatus } from "../../api/errors.ts"
import { onePost, type PostJson, type PostTargetJson } from "../../api/posts.ts"
import { useQuery } from "../../api/query.ts"
import { useAccounts } from "../../shared/accounts/useAccounts.ts"
import { Link } from "../../shared/router.tsx"
import { isHalfSent } from "../../shared/threadState.ts"
import { useCopy } from "../../shared/actions/useCopy.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { LookAt } from "./LookAt.tsx"

interface CopiedTargetProps {
  /** The copy may have been deleted. */
  readonly id: string
  readonly text: string
  readonly post: PostJson
  readonly target: PostTargetJson
  readonly platform: LivePlatform
}

/** Nothing is sent again automatically, because the deleted copy may have been published. */
const CopyGone = ({ platform, post, target }: Omit<CopiedTargetProps, "id" | "text">) => {
  const of = useAccounts().of(target)
  const { copy, isPending } = useCopy()
  const name = platformName(platform)
  // A copy of the whole thread would repeat the parts that are published.
  const mayCopy = copy !== undefined && !isHalfSent(target)
  return (
    <>
      <p>
        A copy took its place, and was deleted here after it was or may have been sent. So it is not published again
        here: it could be on {name} twice.
      </p>
      <div class="post-steps">
        {of.kind === "connected" && <LookAt account={of.account} />}
        {mayCopy && (
          <Button size="small" icon="copy" busy={isPending} onClick={() => void copy(post, { platforms: [platform] })}>
            It isn’t there: copy it to a draft
          </Button>
        )}
      </div>
    </>
  )
}

export const CopiedTarget = ({ id, text, ...of }: CopiedTargetProps) => {
  const { error } = useQuery(onePost(id))
  const isGone = hasStatus(error, 404)
  return (
    <div class="post-problem status-failed">
      <p>{text}</p>
      {isGone ? (
        <CopyGone {...of} />
      ) : (
        <>
          <p>A copy has taken its place, so it is not published again here.</p>
          <div class="post-steps">
            <Link class="button button-secondary button-small" href={`/posts/${encodeURIComponent(id)}`}>
              See the copy
            </Link>
          </div>
        </>
      )}
    </div>
  )
}
