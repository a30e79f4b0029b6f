import { describeFailedChange } from "../../api/errors.ts"
import { disconnect, type IntegrationJson, oneIntegration } from "../../api/integrations.ts"
import { useMutation, useQuery } from "../../api/query.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { accountName, platformName } from "../../../domain/plain/platforms.ts"

export interface DisconnectDialogProps {
  readonly account: IntegrationJson
  readonly onClose: () => void
}

const describeScheduled = (scheduled: number): string => {
  if (scheduled === 0) return "No scheduled post waits for it."
  return scheduled === 1
    ? "1 scheduled post waits for it. It fails at its time, unless the account is connected again before then."
    : `${scheduled} scheduled posts wait for it. They fail at their times, unless the account is connected again before then.`
}

export const DisconnectDialog = ({ account, onClose }: DisconnectDialogProps) => {
  const { data } = useQuery(oneIntegration(account.id))
  const name = accountName(account.platform, account.username)
  const leave = useMutation(() => disconnect(account.id), { invalidates: ["/v1/integrations"] })
  const run = async () => {
    const outcome = await leave.run(undefined)
    if (!outcome.ok) return
    toast(`Disconnected ${name}`)
    onClose()
  }
  return (
    <Dialog
      title={`Disconnect ${name}?`}
      size="small"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button kind="danger" busy={leave.isPending} disabled={data === undefined} onClick={() => void run()}>
            Disconnect
          </Button>
        </>
      }
    >
      {leave.error !== undefined && <FormError>{describeFailedChange(leave.error)}</FormError>}
      <p>{data === undefined ? "…" : describeScheduled(data.data.waiting.scheduled)}</p>
      <p class="secondary">What was published stays on {platformName(account.platform)}.</p>
    </Dialog>
  )
}
