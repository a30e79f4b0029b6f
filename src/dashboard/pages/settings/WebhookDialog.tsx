import { useState } from "preact/hooks"
import { webhookEventTypes } from "../../../domain/plain/events.ts"
import { maxWebhookDescriptionLength } from "../../../domain/plain/limits.ts"
import { describeRest, fieldError } from "../../api/errors.ts"
import { useMutation } from "../../api/query.ts"
import { createWebhook, updateWebhook, type WebhookInput, type WebhookJson } from "../../api/webhooks.ts"
import { Checkbox, Field, Input } from "../../ui/controls/Field.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { eventNames, type EventType } from "./events.ts"
import { describeUnseenRest } from "./unseenSecret.ts"

export interface WebhookDialogProps {
  /** Undefined for a new one. */
  readonly webhook: WebhookJson | undefined
  readonly onClose: () => void
  readonly onSecret: (secret: string) => void
}

export const WebhookDialog = ({ onClose, onSecret, webhook }: WebhookDialogProps) => {
  const [url, setUrl] = useState(webhook?.url ?? "")
  const [description, setDescription] = useState(webhook?.description ?? "")
  const [isAll, setAll] = useState((webhook?.events ?? null) === null)
  const [chosen, setChosen] = useState<ReadonlySet<EventType>>(new Set(webhook?.events ?? webhookEventTypes))
  const creating = useMutation(createWebhook, { invalidates: ["/v1/webhooks"] })
  const changing = useMutation((input: WebhookInput) => updateWebhook(webhook?.id ?? "", input), {
    invalidates: ["/v1/webhooks"]
  })
  const { error, isPending } = webhook === undefined ? creating : changing

  const save = async () => {
    const input = {
      url: url.trim(),
      description: description.trim() === "" ? null : description.trim(),
      events: isAll ? null : webhookEventTypes.filter((type) => chosen.has(type))
    }
    if (webhook === undefined) {
      const outcome = await creating.run(input)
      if (outcome.ok) onSecret(outcome.data.secret)
      return
    }
    const outcome = await changing.run(input)
    if (!outcome.ok) return
    toast("Webhook saved", { tone: "success" })
    onClose()
  }

  return (
    <FormDialog
      title={webhook === undefined ? "New webhook" : "Edit the webhook"}
      action={webhook === undefined ? "Create" : "Save"}
      onSubmit={() => void save()}
      onClose={onClose}
      busy={isPending}
      disabled={url.trim() === "" || (!isAll && chosen.size === 0)}
      problem={
        webhook === undefined
          ? describeUnseenRest(error, "webhook", ["url", "description"])
          : describeRest(error, ["url", "description"])
      }
    >
      <Field
        label="URL"
        hint={
          webhook === undefined
            ? "An https address on the internet"
            : "Shortened, as it may hold a secret. Leave it, or give another one in full"
        }
        error={fieldError(error, "url")}
      >
        {(control) => (
          <Input
            {...control}
            type="url"
            value={url}
            placeholder="https://example.com/hooks"
            autofocus
            onValue={setUrl}
          />
        )}
      </Field>
      <Field label="What it is for" hint="For people; may be empty" error={fieldError(error, "description")}>
        {(control) => (
          <Input {...control} value={description} maxLength={maxWebhookDescriptionLength} onValue={setDescription} />
        )}
      </Field>
      <fieldset class="settings-choices">
        <legend>Events</legend>
        <Checkbox label="All events, including later ones" checked={isAll} onChange={setAll} />
        {!isAll &&
          webhookEventTypes.map((type) => (
            <Checkbox
              key={type}
              label={eventNames[type]}
              checked={chosen.has(type)}
              onChange={(isOn) => {
                setChosen(new Set(webhookEventTypes.filter((each) => (each === type ? isOn : chosen.has(each)))))
              }}
            />
          ))}
      </fieldset>
    </FormDialog>
  )
}
