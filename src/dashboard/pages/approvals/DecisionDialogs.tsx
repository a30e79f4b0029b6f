import { maxReasonLength } from "../../../domain/plain/limits.ts"
import { useState } from "preact/hooks"
import { possibleTimes } from "../../api/errors.ts"
import type { PostJson } from "../../api/posts.ts"
import type { ApprovalOrder } from "../../shared/actions/action.ts"
import { PlannedTime, plannedAs } from "../../shared/plan/PlannedTime.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Field, TextArea } from "../../ui/controls/Field.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"

/** `isTime` is true if the post's time is the problem. */
export interface Problem {
  readonly text: string
  readonly isTime: boolean
}

interface CommonProps {
  readonly problem: Problem | undefined
  readonly isPending: boolean
  readonly onClose: () => void
}

export interface ApproveTimeDialogProps extends CommonProps {
  readonly post: PostJson
  /** True if the post needs a time, because it has none in the future. */
  readonly isNeeded: boolean
  readonly onApprove: (order: ApprovalOrder) => void
}

export const ApproveTimeDialog = (props: ApproveTimeDialogProps) => {
  const { isNeeded, isPending, onApprove, onClose, post, problem } = props
  const [at, setAt] = useState(isNeeded ? null : post.scheduled_at)
  return (
    <Dialog
      title="When should it go out?"
      onClose={onClose}
      footer={
        <>
          <Button disabled={isPending} onClick={() => onApprove({ publish_now: true })}>
            Approve and publish now
          </Button>
          <Button
            kind="primary"
            busy={isPending}
            disabled={at === null}
            onClick={() => {
              if (at !== null) onApprove({ scheduled_at: at })
            }}
          >
            Approve
          </Button>
        </>
      }
    >
      {isNeeded && <p class="secondary">The post has no time in the future.</p>}
      {problem?.isTime === false && <FormError>{problem.text}</FormError>}
      <PlannedTime
        {...plannedAs(post)}
        label="Time"
        isFirst
        value={at}
        onChange={setAt}
        error={problem?.isTime === true ? possibleTimes : undefined}
      />
    </Dialog>
  )
}

export interface RejectDialogProps extends CommonProps {
  readonly onReject: (reason: string) => void
}

export const RejectDialog = ({ isPending, onClose, onReject, problem }: RejectDialogProps) => {
  const [reason, setReason] = useState("")
  const isBlank = reason.trim() === ""
  const submit = () => {
    if (!isBlank && !isPending) onReject(reason.trim())
  }
  return (
    <FormDialog
      title="Reject this post"
      action="Reject"
      danger
      onSubmit={submit}
      onClose={onClose}
      busy={isPending}
      disabled={isBlank}
      problem={problem?.text}
    >
      <Field label="What has to change?" hint="Whoever asked sees it. The post stays a draft.">
        {(control) => (
          <TextArea
            {...control}
            value={reason}
            rows={4}
            maxLength={maxReasonLength}
            autofocus
            onValue={setReason}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit()
            }}
          />
        )}
      </Field>
    </FormDialog>
  )
}
