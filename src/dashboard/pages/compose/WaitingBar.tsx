import type { PostJson } from "../../api/posts.ts"
import { approve } from "../../shared/actions/decide.ts"
import { sayRefusal } from "../../shared/actions/send.ts"
import { cameFrom, navigate } from "../../shared/router.tsx"
import { useShortcut } from "../../shared/shortcuts.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { useSwitch } from "../../ui/useOpen.ts"
import { DecisionButtons } from "../approvals/DecisionButtons.tsx"
import { useDecision } from "../approvals/useDecision.tsx"
import { ChosenTime, Progress, TimeDialog } from "./ComposeBar.tsx"
import { afterSave, wholeForm } from "./composing.ts"
import { changeOf } from "./formChange.ts"
import type { EditorProps } from "./useEditor.ts"

const approveAsItIs = "Approve it like this"

interface KeepDialogProps {
  readonly onKeep: () => void
  readonly onApprove: () => void
  readonly onClose: () => void
}

const KeepDialog = ({ onApprove, onClose, onKeep }: KeepDialogProps) => (
  <Dialog
    title="It waits for approval"
    size="small"
    onClose={onClose}
    footer={
      <>
        <Button onClick={onClose}>Cancel</Button>
        <Button onClick={onKeep}>Keep it waiting</Button>
        <Button kind="primary" onClick={onApprove}>
          {approveAsItIs}
        </Button>
      </>
    }
  >
    <p>You changed what goes out. Approve it as it is now, or save it and let somebody else decide.</p>
  </Dialog>
)

/**
 * The actions on a draft that waits for approval, as among the approvals. A changed form is saved with the approval;
 * an unchanged one is approved as it was read, so that nobody approves what was rejected meanwhile.
 */
export const WaitingBar = ({ editor, post }: EditorProps & { readonly post: PostJson }) => {
  const { finish, isGone, platforms, readOnly, save, state } = editor
  const change = changeOf(wholeForm(state), platforms, post)
  const isChanged = change !== "none"
  const asking = useSwitch()
  const decision = useDecision(post, {
    onConflict: (refusal) => sayRefusal({ post }, refusal),
    onDecided: () => {
      finish()
      navigate(afterSave(`/posts/${encodeURIComponent(post.id)}`, cameFrom()), { force: true })
    }
  })
  const canSave = platforms.length > 0 && !isGone
  const approveIt = () => {
    if (!canSave || readOnly) return
    if (isChanged) void save("schedule")
    else decision.approve()
  }
  useShortcut({ keys: "Control+Enter", label: approve.label, group: "Compose", whileTyping: true }, approveIt)
  const keep = () => void save("keep")
  return (
    <div class="compose-bar">
      {isChanged && (
        <Button
          kind="quiet"
          busy={state.saving?.kind === "keep"}
          disabled={!canSave}
          onClick={change === "content" ? asking.turnOn : keep}
        >
          Save
        </Button>
      )}
      <Progress editor={editor} />
      <div class="compose-bar-end">
        <ChosenTime editor={editor} />
        <DecisionButtons
          decision={{
            ...decision,
            approve: approveIt,
            isPending: decision.isPending || state.saving?.kind === "schedule"
          }}
          post={post}
          isOther={false}
          onRead={() => undefined}
          canChooseTime={!isChanged}
          approveLabel={change === "content" ? approveAsItIs : approve.label}
          canReject={!isChanged}
        />
      </div>
      {asking.isOn && (
        <KeepDialog
          onClose={asking.turnOff}
          onKeep={() => {
            asking.turnOff()
            keep()
          }}
          onApprove={() => {
            asking.turnOff()
            approveIt()
          }}
        />
      )}
      {state.isAskingTime && <TimeDialog editor={editor} />}
      {decision.dialog}
    </div>
  )
}
