import { useState } from "preact/hooks"
import { countParts } from "../../api/chain.ts"
import type { PostJson } from "../../api/posts.ts"
import { isRejected } from "../../api/postStatus.ts"
import type { Refusal } from "../../shared/actions/action.ts"
import { edit, editPath } from "../../shared/actions/openers.ts"
import { approve, reject } from "../../shared/actions/decide.ts"
import { ContinuedPost } from "../../shared/ContinuedPost.tsx"
import { useCan } from "../../shared/me.ts"
import { Link } from "../../shared/router.tsx"
import { useShortcut } from "../../shared/shortcuts.ts"
import { TargetPreviews } from "../../shared/TargetPreview.tsx"
import { classes } from "../../ui/classes.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { MarkedText } from "../../ui/preview/MarkedText.tsx"
import { Time, useNow } from "../../ui/time/Time.tsx"
import { AskedBy } from "./AskedBy.tsx"
import { ChangedMeanwhile, Changes, isChanged } from "./ChangeList.tsx"
import { changedTexts } from "./changes.ts"
import { DecisionButtons } from "./DecisionButtons.tsx"
import { useDecision } from "./useDecision.tsx"

const When = ({ post }: { readonly post: PostJson }) => {
  const now = useNow()
  if (post.scheduled_at === null) return <>Without a time</>
  if (new Date(post.scheduled_at) < now || isRejected(post)) {
    return (
      <>
        Was planned for <Time at={post.scheduled_at} as="fixed" />
      </>
    )
  }
  return post.status === "draft" ? (
    <>
      Planned for <Time at={post.scheduled_at} as="fixed" />, once approved
    </>
  ) : (
    <>
      Goes out <Time at={post.scheduled_at} as="sentence" />
    </>
  )
}

export interface ApprovalCardProps {
  readonly post: PostJson
  /** True if shortcuts apply to this card. */
  readonly isCurrent: boolean
  readonly onFocus: () => void
  readonly onConflict: (refusal: Refusal) => void
  readonly onDecided: () => void
}

const Head = ({ post, read }: { readonly post: PostJson; readonly read: PostJson }) => {
  const { id, tags } = post
  const parts = countParts(post)
  return (
    <header class="approval-head">
      <div class="approval-heading">
        <h2>
          <When post={post} />
        </h2>
        <p class="secondary small">
          <AskedBy approval={read.approval} created_by={post.created_by} />
          {parts > 1 && ` · A thread of ${parts} parts`}
          {tags.length > 0 && (
            <>
              {" · Tags: "}
              <MarkedText text={tags.join(", ")} />
            </>
          )}
        </p>
      </div>
      <Link class="button button-quiet button-small" href={`/posts/${encodeURIComponent(id)}`}>
        Open
      </Link>
    </header>
  )
}

export const ApprovalCard = ({ isCurrent, onConflict, onDecided, onFocus, post }: ApprovalCardProps) => {
  const can = useCan()
  /** The version that the person has read. Stays until they confirm a newer one. */
  const [read, setRead] = useState(post)
  const isOther = isChanged({ post, read })
  const isOpen = post.status === "draft" && !isRejected(post)
  const decision = useDecision(read, { onConflict, onDecided })
  const canDecide = can(approve.scope) && isOpen
  const isActive = isCurrent && canDecide && !isOther
  useShortcut({ keys: "a", label: approve.label, group: "Approvals" }, isActive ? decision.approve : undefined)
  useShortcut({ keys: "r", label: reject.label, group: "Approvals" }, isActive ? decision.startRejecting : undefined)

  const earlier = isOther ? [] : changedTexts(read.approval?.requested ?? null, read)
  return (
    <article
      class={classes("approval", isCurrent && "approval-current")}
      aria-label={`Post by ${post.created_by?.name ?? "somebody"}`}
      onFocusCapture={onFocus}
      onPointerDown={onFocus}
    >
      <Head post={post} read={read} />
      <ChangedMeanwhile read={read} post={post} />
      {post.reply_to !== null && (
        <p class="secondary">
          Continues the thread of <ContinuedPost id={post.reply_to} />
        </p>
      )}
      {earlier.length > 0 && <Changes title="Changed since the last request" changes={earlier} />}
      <div class="approval-targets">
        <TargetPreviews post={post} />
      </div>
      {canDecide && (
        <footer class="approval-foot">
          <DecisionButtons decision={decision} post={post} isOther={isOther} onRead={setRead} />
          {can(edit.scope) && (
            <Link class="button button-quiet approval-edit" href={editPath(post.id)}>
              <Icon name="pencil" />
              {edit.label}
            </Link>
          )}
        </footer>
      )}
      {isOther && !isOpen && (
        <footer class="approval-foot">
          <Button onClick={onDecided}>Done</Button>
        </footer>
      )}
      {decision.dialog}
    </article>
  )
}
