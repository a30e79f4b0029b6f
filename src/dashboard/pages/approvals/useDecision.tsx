import { useState } from "preact/hooks"
import { findIssue, hasCode } from "../../api/errors.ts"
import type { PostJson } from "../../api/posts.ts"
import type { Choice, Job, Refusal } from "../../shared/actions/action.ts"
import { approveAs, rejectFor } from "../../shared/actions/decide.ts"
import { describeOne, sayRefusal } from "../../shared/actions/send.ts"
import { useRun } from "../../shared/actions/useRun.ts"
import { ApproveTimeDialog, type Problem, RejectDialog } from "./DecisionDialogs.tsx"

type OpenDialog = "time" | "timeNeeded" | "reject"

export interface DecisionOptions {
  /** Called if the post has changed, is no longer a draft, or was rejected or deleted. */
  readonly onConflict: (refusal: Refusal) => void
  readonly onDecided?: () => void
}

interface DialogsProps {
  readonly post: PostJson
  readonly open: OpenDialog
  readonly problem: Problem | undefined
  readonly isPending: boolean
  readonly onClose: () => void
  readonly decide: (choice: Choice) => void
}

const Dialogs = ({ decide, open, post, ...shared }: DialogsProps) =>
  open === "reject" ? (
    <RejectDialog {...shared} onReject={(reason) => decide(rejectFor(reason))} />
  ) : (
    <ApproveTimeDialog
      {...shared}
      post={post}
      isNeeded={open === "timeNeeded"}
      onApprove={(order) => decide(approveAs(order))}
    />
  )

/** Decides on the version that the person has read. The caller has to render `dialog`. */
export const useDecision = (post: PostJson, { onConflict, onDecided }: DecisionOptions) => {
  const [open, setOpen] = useState<OpenDialog>()
  const [problem, setProblem] = useState<Problem>()
  const { run, running } = useRun()
  const isPending = running !== undefined

  const show = (dialog?: OpenDialog) => {
    setProblem(undefined)
    setOpen(dialog)
  }
  const shows = (dialog?: OpenDialog) => () => show(dialog)
  const onRefused = (refusal: Refusal, job: Job) => {
    const { error } = refusal
    if (hasCode(error, "revision_mismatch", "invalid_state", "not_found")) {
      show()
      onConflict(refusal)
    } else if (hasCode(error, "time_required")) {
      show("timeNeeded")
    } else if (open === undefined) {
      sayRefusal(job, refusal)
    } else {
      setProblem({ text: describeOne(job, refusal), isTime: findIssue(error, "scheduled_at") !== undefined })
    }
  }
  const attempt = async (choice: Choice) => {
    if (isPending) return
    const outcome = await run(choice, post, onRefused)
    if (outcome?.ok !== true) return
    show()
    onDecided?.()
  }
  const decide = (choice: Choice) => void attempt(choice)
  return {
    dialog: open !== undefined && (
      <Dialogs post={post} open={open} problem={problem} isPending={isPending} onClose={shows()} decide={decide} />
    ),
    isPending,
    approve: () => decide(approveAs({})),
    chooseTime: shows("time"),
    startRejecting: shows("reject")
  }
}

export type Decision = ReturnType<typeof useDecision>
