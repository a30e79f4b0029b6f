import { useState } from "preact/hooks"
import { describeFailure, type Failure } from "../../api/errors.ts"
import { type AccountChangeJson, decide } from "../../api/integrations.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { FormError } from "../../ui/FormError.tsx"
import { describeWaiting } from "./waiting.ts"

export interface DecisionDialogProps {
  readonly change: AccountChangeJson
  readonly onClose: () => void
  readonly onConnected: (username: string) => void
}

type Decision = "replace" | "drafts" | "cancel"

/** Asks what becomes of the posts that wait for the account before. */
export const DecisionDialog = ({ change, onClose, onConnected }: DecisionDialogProps) => {
  const [pending, setPending] = useState<Decision>()
  const [error, setError] = useState<Failure>()
  const { current, next, waiting } = change

  const choose = async (decision: Decision) => {
    setPending(decision)
    setError(undefined)
    const outcome = await decide(change, decision)
    setPending(undefined)
    if (!outcome.ok) setError(outcome.error)
    else if (outcome.data.data === null) onClose()
    else onConnected(outcome.data.data.username)
  }

  return (
    <Dialog title={`Connect @${next.username} instead of @${current.username}?`} onClose={() => void choose("cancel")}>
      <div class="account-decision">
        {error !== undefined && <FormError>{describeFailure(error)}</FormError>}
        <p>
          You gave access to <strong>@{next.username}</strong>. Until now posts went out as{" "}
          <strong>@{current.username}</strong>. Waiting for it: {describeWaiting(waiting).toLowerCase()}.
        </p>
        <div class="account-choice">
          <Button wide busy={pending === "replace"} onClick={() => void choose("replace")}>
            Replace the account
          </Button>
          <p class="small secondary">Everything that waits goes out from @{next.username}, at its time.</p>
        </div>
        <div class="account-choice">
          <Button wide busy={pending === "drafts"} onClick={() => void choose("drafts")}>
            Replace it, and make scheduled posts drafts
          </Button>
          <p class="small secondary">They keep their times. Nothing goes out until somebody schedules it again.</p>
        </div>
        <div class="account-choice">
          <Button kind="quiet" wide busy={pending === "cancel"} onClick={() => void choose("cancel")}>
            Cancel
          </Button>
          <p class="small secondary">Nothing changes, and the access that you just gave ends.</p>
        </div>
      </div>
    </Dialog>
  )
}
