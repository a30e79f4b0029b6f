import type { PostJson } from "../../api/posts.ts"
import { approve, reject } from "../../shared/actions/decide.ts"
import { Button } from "../../ui/controls/Button.tsx"
import type { Decision } from "./useDecision.tsx"

export interface DecisionButtonsProps {
  readonly decision: Decision
  readonly post: PostJson
  /** True if the post has changed since the person read it. */
  readonly isOther: boolean
  readonly onRead: (post: PostJson) => void
}

export const DecisionButtons = ({ decision, isOther, onRead, post }: DecisionButtonsProps) =>
  isOther ? (
    <Button kind="primary" onClick={() => onRead(post)}>
      I read this version
    </Button>
  ) : (
    <>
      <Button kind="primary" icon={approve.icon} busy={decision.isPending} onClick={decision.approve}>
        {approve.label}
      </Button>
      <Button icon="clock" onClick={decision.chooseTime}>
        Another time
      </Button>
      <Button onClick={decision.startRejecting}>{reject.label}</Button>
    </>
  )
