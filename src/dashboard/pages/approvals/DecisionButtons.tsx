import { approve, reject } from "../../shared/actions/decide.ts"
import { Button } from "../../ui/controls/Button.tsx"
import type { Decision } from "./useDecision.tsx"

export interface DecisionButtonsProps {
  readonly decision: Decision
  /** True if the post is another one than the person has read. */
  readonly isOther: boolean
  /** Called when the person has read the post as it is now. */
  readonly onRead: () => void
  /** True if another time is offered. */
  readonly hasTime?: boolean
}

/** The buttons that approve and reject a post, once the person has read it as it is now. */
export const DecisionButtons = ({ decision, hasTime = false, isOther, onRead }: DecisionButtonsProps) =>
  isOther ? (
    <Button kind="primary" onClick={onRead}>
      I read this version
    </Button>
  ) : (
    <>
      <Button kind="primary" icon={approve.icon} busy={decision.isPending} onClick={decision.approve}>
        {approve.label}
      </Button>
      {hasTime && (
        <Button icon="clock" onClick={decision.chooseTime}>
          Another time
        </Button>
      )}
      <Button onClick={decision.startRejecting}>{reject.label}</Button>
    </>
  )
