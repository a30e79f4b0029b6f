import type { PostJson } from "../../api/posts.ts"
import { isAwaitingApproval } from "../../api/postStatus.ts"
import type { Action, Choice, Question } from "../../shared/actions/action.ts"
import { duplicate, edit, editPath } from "../../shared/actions/openers.ts"
import { approve } from "../../shared/actions/decide.ts"
import { publish, schedule, unschedule } from "../../shared/actions/publish.ts"
import { remove } from "../../shared/actions/remove.ts"
import { sayRefusal } from "../../shared/actions/send.ts"
import { useCopy } from "../../shared/actions/useCopy.ts"
import { useRun } from "../../shared/actions/useRun.ts"
import { useCan } from "../../shared/me.ts"
import { Link } from "../../shared/router.tsx"
import { useShortcut } from "../../shared/shortcuts.ts"
import { Button, type ButtonProps } from "../../ui/controls/Button.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { useNow } from "../../ui/time/Time.tsx"
import { DecisionButtons } from "../approvals/DecisionButtons.tsx"
import { useDecision } from "../approvals/useDecision.tsx"

interface DecideProps {
  readonly post: PostJson
  readonly read: PostJson
  readonly onRead: (post: PostJson) => void
}

const Decide = ({ onRead, post, read }: DecideProps) => {
  const decision = useDecision(read, {
    onConflict: (refusal) => sayRefusal({ post: read }, refusal)
  })
  const isOther = post.revision !== read.revision
  return (
    <>
      <DecisionButtons decision={decision} post={post} isOther={isOther} onRead={onRead} />
      {!isOther && decision.dialog}
    </>
  )
}

export interface PostActionsProps extends DecideProps {
  /** True if the post is shown next to another view. */
  readonly isBeside: boolean
  readonly onDeleted: () => void
}

type PageAction = Action & Choice & { readonly ask?: (post: PostJson) => Question }

export const PostActions = ({ isBeside, onDeleted, onRead, post, read }: PostActionsProps) => {
  const can = useCan()
  const now = useNow()
  const { confirm, dialog } = useConfirm()
  const { run, running } = useRun()
  const { duplicate: copy, isPending: isCopying } = useCopy()
  // Unused next to the calendar, which handles this key for its focused post.
  useShortcut(
    { keys: "c", label: "Duplicate the post", group: "Post" },
    isBeside || copy === undefined ? undefined : () => void copy(post)
  )
  const isOffered = ({ fits, scope }: Action) => can(scope) && fits(post, now)

  const start = async (action: PageAction) => {
    if (action.ask !== undefined && !(await confirm(action.ask(post)))) return
    const outcome = await run(action, post)
    if (outcome?.ok === true && action === remove) onDeleted()
  }
  const button = (action: PageAction, kind?: ButtonProps["kind"]) =>
    isOffered(action) && (
      <Button
        kind={kind ?? "secondary"}
        icon={action.icon}
        busy={running === action}
        onClick={() => void start(action)}
      >
        {action.labelOf?.(post) ?? action.label}
      </Button>
    )

  return (
    <div class="post-actions">
      {isAwaitingApproval(post) && can(approve.scope) && <Decide post={post} read={read} onRead={onRead} />}
      {isOffered(edit) && (
        <Link class="button button-secondary" href={editPath(post.id)}>
          <Icon name="pencil" />
          {edit.label}
        </Link>
      )}
      {button(schedule, "primary")}
      {button(publish)}
      {button(unschedule)}
      {copy !== undefined && (
        <Button kind="quiet" icon={duplicate.icon} busy={isCopying} onClick={() => void copy(post)}>
          {duplicate.label}
        </Button>
      )}
      {button(remove, "quiet")}
      {dialog}
    </div>
  )
}
