import { useState } from "preact/hooks"
import { webhookEventTypes } from "../../../domain/plain/events.ts"
import { maxWebhookDescriptionLength } from "../../../domain/plain/limits.ts"
import { describeRest } from "../../api/errors.ts"
import { fieldError } from "../../api/fieldWords.ts"
import { useMutation } from "../../api/query.ts"
import { createWebhook, updateWebhook, type WebhookInput, type WebhookJson } from "../../api/webhooks.ts"
import { Checkbox } from "../../ui/controls/Field.tsx"
import { TextField } from "../../ui/controls/TextField.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { eventNames, type EventType } from "./events.ts"
import { describeUnseenRest } from "./unseenSecret.ts"

export interface WebhookDialogProps {
  /** Undefined for a new webhook. */
  readonly webhook: WebhookJson | undefined
  readonly onClose: () => void
  readonly onSecret: (secret: string) => void
}

const useWebhookForm = ({ onClose, onSecret, webhook }: WebhookDialogProps) => {
  const [url, setUrl] = useState(webhook?.url ?? "")
  const [description, setDescription] = useState(webhook?.description ?? "")
  const [isAll, setAll] = useState((webhook?.events ?? null) === null)
  const [chosen, setChosen] = useState<ReadonlySet<EventType>>(new Set(webhook?.events ?? webhookEventTypes))
  const events = webhookEventTypes.filter((type) => chosen.has(type))
  const invalidates = ["/v1/webhooks"]
  const creating = useMutation(createWebhook, { invalidates })
  const changing = useMutation((input: WebhookInput) => updateWebhook(webhook?.id ?? "", input), { invalidates })

  const save = async () => {
    const input = {
      url: url.trim(),
      description: description.trim() === "" ? null : description.trim(),
      events: isAll ? null : events
    }
    if (webhook === undefined) {
      const outcome = await creating.run(input)
      if (!outcome.ok) return
      onClose()
      onSecret(outcome.data.secret)
    } else if ((await changing.run(input)).ok) {
      onClose()
      toast("Webhook saved", { tone: "success" })
    }
  }
  return {
    url: { value: url, onValue: setUrl },
    description: { value: description, onValue: setDescription },
    all: { checked: isAll, onChange: setAll },
    events,
    choose: (type: EventType, isOn: boolean) =>
      setChosen(new Set(webhookEventTypes.filter((each) => (each === type ? isOn : chosen.has(each))))),
    canSave: url.trim() !== "" && (isAll || events.length > 0),
    save,
    ...(webhook === undefined ? creating : changing)
  }
}

const fields = ["url", "description"]

export const WebhookDialog = (props: WebhookDialogProps) => {
  const { all, canSave, choose, description, error, events, isPending, save, url } = useWebhookForm(props)
  const isNew = props.webhook === undefined
  return (
    <FormDialog
      title={isNew ? "New webhook" : "Edit the webhook"}
      action={isNew ? "Create" : "Save"}
      onSubmit={() => void save()}
      onClose={props.onClose}
      busy={isPending}
      disabled={!canSave}
      problem={isNew ? describeUnseenRest(error, "webhook", fields) : describeRest(error, fields)}
    >
      <TextField
        label="URL"
        hint={
          isNew
            ? "An https address on the internet"
            : "Shortened, as it may hold a secret. Leave it, or give another one in full"
        }
        error={fieldError(error, "url")}
        type="url"
        placeholder="https://example.com/hooks"
        autofocus
        {...url}
      />
      <TextField
        label="What it is for"
        hint="For people; may be empty"
        error={fieldError(error, "description")}
        maxLength={maxWebhookDescriptionLength}
        {...description}
      />
      <fieldset class="settings-choices">
        <legend>Events</legend>
        <Checkbox label="All events, including later ones" {...all} />
        {!all.checked &&
          webhookEventTypes.map((type) => (
            <Checkbox
              key={type}
              label={eventNames[type]}
              checked={events.includes(type)}
              onChange={(isOn) => choose(type, isOn)}
            />
          ))}
      </fieldset>
    </FormDialog>
  )
}
