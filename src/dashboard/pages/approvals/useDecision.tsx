import { useState } from "preact/hooks"
import type { Failure, Outcome } from "../../api/errors.ts"
import { describeFailure } from "../../api/errors.ts"
import { useIntent } from "../../api/idempotency.ts"
import { approvePost, isConflict, rejectPost } from "../../api/postActions.ts"
import type { OnePostJson, PostJson } from "../../api/posts.ts"
import { invalidate } from "../../api/query.ts"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { formatTimeInSentence } from "../../ui/time/time.ts"
import { ApproveTimeDialog, RejectDialog } from "./DecisionDialogs.tsx"

type OpenDialog = "time" | "timeNeeded" | "reject"

type Order = { readonly scheduled_at?: string } | { readonly publish_now: true }

export interface DecisionOptions {
  /** The post is another one than was decided on, is no draft any more, or somebody has rejected or deleted it. */
  readonly onConflict: (error: Failure) => void
  readonly onDecided?: () => void
}

const needsTime = (error: Failure): boolean => error._tag === "ApiError" && error.code === "time_required"

/** Whether there is nothing to decide any more: somebody else has decided or deleted it. */
const isOver = (error: Failure): boolean =>
  error._tag === "ApiError" && (error.code === "invalid_state" || error.code === "not_found")

/** Approving and rejecting a post as it was read; render `dialog`. */
export const useDecision = (post: PostJson, { onConflict, onDecided }: DecisionOptions) => {
  const [open, setOpen] = useState<OpenDialog>()
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<Failure>()
  const withIntent = useIntent()

  const show = (dialog: OpenDialog | undefined) => {
    setError(undefined)
    setOpen(dialog)
  }

  const settle = (outcome: Outcome<OnePostJson>, done: (decided: PostJson) => string) => {
    setPending(false)
    if (outcome.ok) {
      show(undefined)
      toast(done(outcome.data.data), { tone: "success" })
      onDecided?.()
    } else if (isConflict(outcome.error) || isOver(outcome.error)) {
      show(undefined)
      onConflict(outcome.error)
    } else if (needsTime(outcome.error)) {
      show("timeNeeded")
    } else {
      setError(outcome.error)
      if (open === undefined) toast(describeFailure(outcome.error), { tone: "error" })
    }
    invalidate("/v1/posts")
  }

  const approve = async (order: Order = {}) => {
    if (isPending) return
    setPending(true)
    const outcome = await withIntent({ revision: post.revision, ...order }, (body, key) =>
      approvePost(post.id, body, key)
    )
    settle(outcome, ({ scheduled_at }) =>
      "publish_now" in order || scheduled_at === null
        ? "Approved. It goes out now."
        : `Approved for ${formatTimeInSentence(new Date(scheduled_at), new Date())}`
    )
  }

  const reject = async (reason: string) => {
    if (isPending) return
    setPending(true)
    settle(await rejectPost(post.id, { revision: post.revision, reason }), () => "Rejected. Who asked sees why.")
  }

  const close = () => {
    show(undefined)
  }
  const dialog =
    open === "reject" ? (
      <RejectDialog error={error} isPending={isPending} onClose={close} onReject={(reason) => void reject(reason)} />
    ) : (
      open !== undefined && (
        <ApproveTimeDialog
          initial={post.scheduled_at}
          isNeeded={open === "timeNeeded"}
          error={error}
          isPending={isPending}
          onClose={close}
          onApprove={(scheduled_at) => void approve({ scheduled_at })}
          onPublishNow={() => void approve({ publish_now: true })}
        />
      )
    )
  return {
    dialog,
    isPending,
    approve: () => void approve(),
    chooseTime: () => {
      show("time")
    },
    startRejecting: () => {
      show("reject")
    }
  }
}
