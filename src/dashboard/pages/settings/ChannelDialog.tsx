import { useState } from "preact/hooks"
import { type ChannelKind, channelKindNames, channelKinds } from "../../../domain/plain/chat.ts"
import { maxNameLength } from "../../../domain/plain/limits.ts"
import { defaultChannelTypes, type MailType, mailTypes } from "../../../domain/plain/mail.ts"
import { type ChannelInput, type ChannelJson, channels, createChannel, updateChannel } from "../../api/channels.ts"
import { describeRest } from "../../api/errors.ts"
import { fieldError } from "../../api/fieldWords.ts"
import { useMutation } from "../../api/query.ts"
import { Checkbox, Field } from "../../ui/controls/Field.tsx"
import { SelectOne } from "../../ui/controls/SelectOne.tsx"
import { TextField } from "../../ui/controls/TextField.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { mailName } from "./mailNames.ts"

export interface ChannelDialogProps {
  /** Undefined for a new channel. */
  readonly channel: ChannelJson | undefined
  readonly onClose: () => void
}

const kindOptions = channelKinds.map((kind) => [kind, channelKindNames[kind]] as const)

/** Where people find the URL. */
const steps: Readonly<Record<ChannelKind, string>> = {
  slack: "In Slack: create an app, turn on Incoming Webhooks, add one to the channel and copy its URL",
  discord: "In Discord: Edit Channel, Integrations, Webhooks, New Webhook, Copy Webhook URL",
  mattermost: "In Mattermost: Integrations, Incoming Webhooks, Add Incoming Webhook, and copy its URL"
}

const placeholders: Readonly<Record<ChannelKind, string>> = {
  slack: "https://hooks.slack.com/services/…",
  discord: "https://discord.com/api/webhooks/…",
  mattermost: "https://chat.example.com/hooks/…"
}

const useChannelForm = ({ channel, onClose }: ChannelDialogProps) => {
  const [kind, setKind] = useState<ChannelKind>(channel?.kind ?? "slack")
  const [name, setName] = useState(channel?.name ?? "")
  const [url, setUrl] = useState(channel?.url ?? "")
  const [chosen, setChosen] = useState<ReadonlySet<MailType>>(new Set(channel?.types ?? defaultChannelTypes))
  const types = mailTypes.filter((type) => chosen.has(type))
  const invalidates = [channels.path]
  const creating = useMutation(createChannel, { invalidates })
  const changing = useMutation((input: ChannelInput) => updateChannel(channel?.id ?? "", input), { invalidates })

  const save = async () => {
    const input = { name: name.trim(), url: url.trim(), types }
    const outcome = channel === undefined ? await creating.run({ kind, ...input }) : await changing.run(input)
    if (!outcome.ok) return
    onClose()
    toast(channel === undefined ? "Channel added. Send a test to see it work" : "Channel saved", { tone: "success" })
  }
  return {
    kind: { value: kind, onChoose: setKind },
    name: { value: name, onValue: setName },
    url: { value: url, onValue: setUrl },
    types,
    choose: (type: MailType, isOn: boolean) =>
      setChosen(new Set(mailTypes.filter((each) => (each === type ? isOn : chosen.has(each))))),
    canSave: name.trim() !== "" && url.trim() !== "" && types.length > 0,
    save,
    ...(channel === undefined ? creating : changing)
  }
}

const fields = ["name", "url"]

export const ChannelDialog = (props: ChannelDialogProps) => {
  const { canSave, choose, error, isPending, kind, name, save, types, url } = useChannelForm(props)
  const isNew = props.channel === undefined
  return (
    <FormDialog
      title={isNew ? "New channel" : "Edit the channel"}
      action={isNew ? "Add" : "Save"}
      onSubmit={() => void save()}
      onClose={props.onClose}
      busy={isPending}
      disabled={!canSave}
      problem={describeRest(error, fields)}
    >
      {isNew && (
        <Field label="Chat program">{(control) => <SelectOne {...control} options={kindOptions} {...kind} />}</Field>
      )}
      <TextField
        label="Name"
        hint="For people, such as the channel’s name"
        error={fieldError(error, "name")}
        placeholder="#social"
        maxLength={maxNameLength}
        autofocus
        {...name}
      />
      <TextField
        label="URL of the incoming webhook"
        hint={isNew ? steps[kind.value] : "Shortened, as it is a secret. Leave it, or give another one in full"}
        error={fieldError(error, "url")}
        type="url"
        placeholder={placeholders[kind.value]}
        {...url}
      />
      <fieldset class="settings-choices">
        <legend>What it gets</legend>
        {mailTypes.map((type) => (
          <Checkbox
            key={type}
            label={mailName(type)}
            checked={types.includes(type)}
            onChange={(isOn) => choose(type, isOn)}
          />
        ))}
      </fieldset>
    </FormDialog>
  )
}
