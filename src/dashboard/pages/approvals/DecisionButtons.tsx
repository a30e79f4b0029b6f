import type { PostJson } from "../../api/posts.ts"
import { approve, reject } from "../../shared/actions/decide.ts"
import { Button } from "../../ui/controls/Button.tsx"
import type { Decision } from "./useDecision.tsx"

export interface DecisionButtonsProps {
  readonly decision: Record<"approve" | "chooseTime" | "startRejecting", () => void> & Pick<Decision, "isPending">
  readonly post: PostJson
  /** True if the post has changed since the person read it. */
  readonly isOther: boolean
  readonly onRead: (post: PostJson) => void
  readonly canChooseTime?: boolean
  /** Replaces the label, if something else than the stored post is approved. */
  readonly approveLabel?: string | undefined
  readonly canReject?: boolean
}

export const DecisionButtons = (props: DecisionButtonsProps) => {
  const {
    approveLabel = approve.label,
    canReject = true,
    decision,
    canChooseTime = true,
    isOther,
    onRead,
    post
  } = props
  return isOther ? (
    <Button kind="primary" onClick={() => onRead(post)}>
      I read this version
    </Button>
  ) : (
    <>
      <Button kind="primary" icon={approve.icon} busy={decision.isPending} onClick={decision.approve}>
        {approveLabel}
      </Button>
      {canChooseTime && (
        <Button icon="clock" onClick={decision.chooseTime}>
          Another time
        </Button>
      )}
      {canReject && <Button onClick={decision.startRejecting}>{reject.label}</Button>}
    </>
  )
}
