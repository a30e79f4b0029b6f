import { useState } from "preact/hooks"
import { type Failure, fieldError } from "../../api/errors.ts"
import { isConflict } from "../../api/postActions.ts"
import type { PostJson } from "../../api/posts.ts"
import type { ApprovalOrder, Choice, Job, Refusal } from "../../shared/actions/action.ts"
import { approveAs, rejectFor } from "../../shared/actions/decide.ts"
import { describeOne, sayRefusal } from "../../shared/actions/send.ts"
import { useRun } from "../../shared/actions/useRun.ts"
import { ApproveTimeDialog, type Problem, RejectDialog } from "./DecisionDialogs.tsx"

type OpenDialog = "time" | "timeNeeded" | "reject"

export interface DecisionOptions {
  /** Called if the post changed, is no longer a draft, or was rejected or deleted. */
  readonly onConflict: (refusal: Refusal) => void
  readonly onDecided?: () => void
}

const isCode = (error: Failure, ...codes: ReadonlyArray<string>): boolean =>
  error._tag === "ApiError" && codes.includes(error.code)

const isOver = (error: Failure): boolean => isConflict(error) || isCode(error, "invalid_state", "not_found")

/** Approves and rejects the version that was read. Render `dialog`. */
export const useDecision = (post: PostJson, { onConflict, onDecided }: DecisionOptions) => {
  const [open, setOpen] = useState<OpenDialog>()
  const [problem, setProblem] = useState<Problem>()
  const { run, running } = useRun()
  const isPending = running !== undefined

  const show = (dialog: OpenDialog | undefined) => {
    setProblem(undefined)
    setOpen(dialog)
  }

  const onRefused = (refusal: Refusal, job: Job) => {
    const { error } = refusal
    if (isOver(error)) {
      show(undefined)
      onConflict(refusal)
    } else if (isCode(error, "time_required")) {
      show("timeNeeded")
    } else if (open === undefined) {
      sayRefusal(job, refusal)
    } else {
      setProblem({ text: describeOne(job, refusal), isTime: fieldError(error, "scheduled_at") !== undefined })
    }
  }
  const decide = async (choice: Choice) => {
    if (isPending) return
    const outcome = await run(choice, post, onRefused)
    if (outcome?.ok !== true) return
    show(undefined)
    onDecided?.()
  }
  const approve = (order: ApprovalOrder = {}) => void decide(approveAs(order))

  const close = () => {
    show(undefined)
  }
  const dialog =
    open === "reject" ? (
      <RejectDialog
        problem={problem}
        isPending={isPending}
        onClose={close}
        onReject={(reason) => void decide(rejectFor(reason))}
      />
    ) : (
      open !== undefined && (
        <ApproveTimeDialog
          initial={post.scheduled_at}
          isNeeded={open === "timeNeeded"}
          problem={problem}
          isPending={isPending}
          onClose={close}
          onApprove={(scheduled_at) => {
            approve({ scheduled_at })
          }}
          onPublishNow={() => {
            approve({ publish_now: true })
          }}
        />
      )
    )
  return {
    dialog,
    isPending,
    approve: () => {
      approve()
    },
    chooseTime: () => {
      show("time")
    },
    startRejecting: () => {
      show("reject")
    }
  }
}

export type Decision = ReturnType<typeof useDecision>
