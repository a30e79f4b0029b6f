import { channelKindNames } from "../../../domain/plain/chat.ts"
import { mailTypes } from "../../../domain/plain/mail.ts"
import { type ChannelJson, channels, deleteChannel, testChannel, updateChannel } from "../../api/channels.ts"
import { describeFailedChange } from "../../api/errors.ts"
import { invalidate } from "../../api/query.ts"
import { report } from "../../shared/report.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { Menu } from "../../ui/controls/Menu.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { mailName } from "./mailNames.ts"
import { MadeBy, SettingsRow } from "./SettingsRow.tsx"

export interface ChannelRowProps {
  readonly channel: ChannelJson
  readonly onEdit: () => void
  readonly onLog: () => void
}

const disabledBecause = {
  manual: "Disabled",
  revoked: "Disabled: its URL was revoked. Give it another one"
} as const

const State = ({ channel: { disabled_reason, enabled, kind, paused_until } }: { readonly channel: ChannelJson }) =>
  !enabled ? (
    <span class={`settings-state status-${disabled_reason === "revoked" ? "failed" : "draft"}`}>
      <Icon name="cross" size={14} /> {disabledBecause[disabled_reason ?? "manual"]}
    </span>
  ) : paused_until !== null ? (
    <span class="settings-state status-failed">
      <Icon name="warning" size={14} /> {channelKindNames[kind]} takes no messages until{" "}
      <Time at={paused_until} as="fixed" />
    </span>
  ) : (
    <span class="settings-state status-published">
      <Icon name="check" size={14} /> Enabled
    </span>
  )

const describeTypes = (types: ChannelJson["types"]): string =>
  types.length === mailTypes.length ? "Everything" : types.map(mailName).join(", ")

/** The caller has to render `dialog`. */
const useChannelActions = ({ enabled, id, name }: ChannelJson) => {
  const { confirm, dialog } = useConfirm()
  const { path } = channels
  const sendTest = async () => {
    const outcome = await testChannel(id)
    if (!outcome.ok) {
      toast(describeFailedChange(outcome.error), { tone: "error" })
      return
    }
    const { answer, delivered } = outcome.data.data
    toast(delivered ? `Test sent to ${name}` : `The test was not delivered. ${answer}`, {
      tone: delivered ? "success" : "error"
    })
    if (!delivered) invalidate(path)
  }
  const toggle = () =>
    report(updateChannel(id, { enabled: !enabled }), path, enabled ? "Channel disabled" : "Channel enabled")
  const remove = async () => {
    const isSure = await confirm({
      title: `Delete ${name}?`,
      text: "It gets no more notifications, and the log of its messages is deleted.",
      action: "Delete",
      danger: true
    })
    if (isSure) await report(deleteChannel(id), path, "Channel deleted")
  }
  return { sendTest, toggle, remove, dialog }
}

export const ChannelRow = ({ channel, onEdit, onLog }: ChannelRowProps) => {
  const { created_by, enabled, kind, name, types, url } = channel
  const { dialog, remove, sendTest, toggle } = useChannelActions(channel)
  return (
    <SettingsRow
      name={name}
      title={name}
      facts={[
        <>
          {channelKindNames[kind]} · {url}
          <MadeBy author={created_by} />
        </>,
        describeTypes(types)
      ]}
      state={<State channel={channel} />}
    >
      <div class="settings-actions">
        <Button size="small" onClick={onLog} aria-label={`Messages of ${name}`}>
          Messages
        </Button>
        <Menu
          label={`Actions for ${name}`}
          align="end"
          trigger={(trigger) => <IconButton icon="more" label={`Actions for ${name}`} {...trigger} />}
          groups={[
            [
              { label: "Send a test", icon: "play", disabled: !enabled, onSelect: () => void sendTest() },
              { label: "Edit", icon: "pencil", onSelect: onEdit },
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
