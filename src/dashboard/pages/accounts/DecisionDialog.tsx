import { useState } from "preact/hooks"
import { accountName, unusedAccess } from "../../../domain/plain/platforms.ts"
import type { WaitingPosts } from "../../../domain/accounts/accountChange.ts"
import { describeFailedChange } from "../../api/errors.ts"
import { type AccountChangeJson, decide } from "../../api/integrations.ts"
import { useMutation } from "../../api/query.ts"
import { Link } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { describeWaitingFor } from "./waiting.ts"

export interface DecisionDialogProps {
  readonly change: AccountChangeJson
  readonly onClose: () => void
  readonly onConnected: (username: string) => void
}

type Decision = "replace" | "drafts"

/** The account that somebody else connected before this person chose drafts. */
interface Decided {
  readonly name: string
  readonly waiting: typeof WaitingPosts.Encoded
}

const AlreadyDecided = ({ decided, onClose }: { readonly decided: Decided; readonly onClose: () => void }) => (
  <Dialog
    title="No post was made a draft"
    closesByButtons
    onClose={onClose}
    footer={
      <>
        <Button onClick={onClose}>Close</Button>
        <Link class="button button-primary" href="/posts?status=scheduled">
          See scheduled posts
        </Link>
      </>
    }
  >
    <p>
      Somebody decided before you, so <strong>{decided.name}</strong> is connected already, and no post was changed.{" "}
      {describeWaitingFor(decided.waiting, decided.name)} Scheduled posts go out at their times.
    </p>
  </Dialog>
)

export const DecisionDialog = ({ change, onClose, onConnected }: DecisionDialogProps) => {
  const decision = useMutation((chosen: Decision) => decide(change, chosen), {
    invalidates: ["/v1/integrations", "/v1/posts"]
  })
  const [pending, setPending] = useState<Decision>()
  const [decided, setDecided] = useState<Decided>()
  const { error } = decision
  const { platform, waiting } = change
  const current = accountName(platform, change.current.username)
  const next = accountName(platform, change.next.username)

  const choose = async (chosen: Decision) => {
    setPending(chosen)
    const outcome = await decision.run(chosen)
    setPending(undefined)
    if (!outcome.ok) return
    const { data: account, unchanged } = outcome.data
    if (account === null) onClose()
    else if (chosen === "drafts" && unchanged !== null && unchanged.scheduled > 0) {
      setDecided({ name: accountName(platform, account.username), waiting: unchanged })
    } else onConnected(account.username)
  }
  const leave = () => {
    onClose()
    // The cancellation is not awaited, because a change without a decision expires by itself.
    if (pending === undefined) void decide(change, "cancel")
  }

  if (decided !== undefined) return <AlreadyDecided decided={decided} onClose={onClose} />
  return (
    <Dialog title={`Connect ${next} instead of ${current}?`} closesByButtons onClose={leave}>
      <div class="account-decision">
        {error !== undefined && <FormError>{describeFailedChange(error)}</FormError>}
        <p>
          You gave access to <strong>{next}</strong>. Until now posts went out as <strong>{current}</strong>.{" "}
          {describeWaitingFor(waiting, current)}
        </p>
        <div class="account-choice">
          <Button kind="primary" wide busy={pending === "replace"} onClick={() => void choose("replace")}>
            Replace the account
          </Button>
          <p class="small secondary">
            All waiting posts go out from {next}, at their times. Posts that wait for approval keep waiting for it, now
            for {next}.
          </p>
        </div>
        <div class="account-choice">
          <Button wide busy={pending === "drafts"} onClick={() => void choose("drafts")}>
            Replace it, and make scheduled posts drafts
          </Button>
          <p class="small secondary">They keep their times. Nothing goes out until somebody schedules it again.</p>
        </div>
        <div class="account-choice">
          <Button kind="quiet" wide onClick={leave}>
            Cancel
          </Button>
          <p class="small secondary">Nothing changes. {unusedAccess(change.platform)}</p>
        </div>
      </div>
    </Dialog>
  )
}
