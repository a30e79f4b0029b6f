import {
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  type WebhookJson,
  webhooks
} from "../../api/webhooks.ts"
import { report } from "../../shared/report.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { Menu } from "../../ui/controls/Menu.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { describeEvents } from "./events.ts"
import { MadeBy, SettingsRow } from "./SettingsRow.tsx"
import { describeUnseen } from "./unseenSecret.ts"

export interface WebhookRowProps {
  readonly webhook: WebhookJson
  readonly onEdit: () => void
  readonly onSecret: (secret: string) => void
  readonly onDeliveries: () => void
}

const disabledBecause = {
  manual: "Disabled",
  gone: "Disabled: the receiver said that it is gone",
  failing: "Disabled: every delivery of five days failed"
}

const State = ({ webhook: { disabled_reason, enabled, failing_since } }: { readonly webhook: WebhookJson }) =>
  !enabled ? (
    <span class="settings-state status-draft">
      <Icon name="cross" size={14} /> {disabledBecause[disabled_reason ?? "manual"]}
    </span>
  ) : failing_since !== null ? (
    <span class="settings-state status-failed">
      <Icon name="warning" size={14} /> Failing since <Time at={failing_since} as="fixed" />
    </span>
  ) : (
    <span class="settings-state status-published">
      <Icon name="check" size={14} /> Enabled
    </span>
  )

/** The caller has to render `dialog`. */
const useWebhookActions = ({ onDeliveries, onSecret, webhook: { enabled, id } }: WebhookRowProps) => {
  const { confirm, dialog } = useConfirm()
  const { path } = webhooks
  const sendTest = () =>
    report(testWebhook(id), path, "Test sent", {
      tone: "success",
      action: { label: "See its delivery", run: onDeliveries }
    })
  const toggle = () =>
    report(updateWebhook(id, { enabled: !enabled }), path, enabled ? "Webhook disabled" : "Webhook enabled")
  const rotate = async () => {
    const isSure = await confirm({
      title: "Replace the signing secret?",
      text: "The old secret also signs for 24 more hours, so that the receiver can switch.",
      action: "Replace it"
    })
    if (!isSure) return
    const outcome = await rotateWebhookSecret(id)
    if (outcome.ok) onSecret(outcome.data.secret)
    else toast(describeUnseen(outcome.error, "replacedSecret"), { tone: "error" })
  }
  const remove = async () => {
    const isSure = await confirm({
      title: "Delete this webhook?",
      text: "It gets no more events, and its deliveries are deleted.",
      action: "Delete",
      danger: true
    })
    if (isSure) await report(deleteWebhook(id), path, "Webhook deleted")
  }
  return { sendTest, toggle, rotate, remove, dialog }
}

export const WebhookRow = (props: WebhookRowProps) => {
  const { onDeliveries, onEdit, webhook } = props
  const { created_by, description, enabled, events, url } = webhook
  const { dialog, remove, rotate, sendTest, toggle } = useWebhookActions(props)
  return (
    <SettingsRow
      name={url}
      title={url}
      facts={[
        <>
          {description !== null && `${description} · `}
          {describeEvents(events)}
          <MadeBy author={created_by} />
        </>
      ]}
      state={<State webhook={webhook} />}
    >
      <div class="settings-actions">
        <Button size="small" onClick={onDeliveries}>
          Deliveries
        </Button>
        <Menu
          label={`Actions for ${url}`}
          align="end"
          trigger={(trigger) => <IconButton icon="more" label={`Actions for ${url}`} {...trigger} />}
          groups={[
            [
              { label: "Send a test", icon: "play", disabled: !enabled, onSelect: () => void sendTest() },
              { label: "Edit", icon: "pencil", onSelect: onEdit },
              { label: "Replace the secret", icon: "key", onSelect: () => void rotate() },
              {
                label: enabled ? "Disable" : "Enable",
                icon: enabled ? "cross" : "check",
                onSelect: () => void toggle()
              }
            ],
            [{ label: "Delete", icon: "trash", danger: true, onSelect: () => void remove() }]
          ]}
        />
      </div>
      {dialog}
    </SettingsRow>
  )
}
