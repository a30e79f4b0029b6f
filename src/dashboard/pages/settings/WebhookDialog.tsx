import { useState } from "preact/hooks"
import { describeFailure, type Failure, fieldError } from "../../api/errors.ts"
import { invalidate } from "../../api/query.ts"
import { createWebhook, updateWebhook, type WebhookJson } from "../../api/webhooks.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Checkbox, Field, Input } from "../../ui/Field.tsx"
import { FormError } from "../../ui/FormError.tsx"
import { toast } from "../../ui/Toasts.tsx"

type EventType = NonNullable<WebhookJson["events"]>[number]

const eventNames: Readonly<Record<EventType, string>> = {
  "post.scheduled": "A post was scheduled",
  "post.published": "A post was published everywhere",
  "post.failed": "A post failed",
  "post.target.published": "A post was published on one platform",
  "post.target.failed": "A post failed on one platform",
  "post.approval_requested": "Approval was requested",
  "post.approved": "A post was approved",
  "post.rejected": "A post was rejected",
  "post.deleted": "A post was deleted",
  "integration.connected": "An account was connected",
  "integration.disconnected": "An account was disconnected"
}

const isEventType = (name: string): name is EventType => name in eventNames
const eventTypes = Object.keys(eventNames).filter((name) => isEventType(name))

export interface WebhookDialogProps {
  /** To edit; undefined for a new one. */
  readonly webhook: WebhookJson | undefined
  readonly onClose: () => void
  readonly onSecret: (secret: string) => void
}

export const WebhookDialog = ({ onClose, onSecret, webhook }: WebhookDialogProps) => {
  const [url, setUrl] = useState(webhook?.url ?? "")
  const [description, setDescription] = useState(webhook?.description ?? "")
  const [isAll, setAll] = useState((webhook?.events ?? null) === null)
  const [chosen, setChosen] = useState<ReadonlySet<EventType>>(new Set(webhook?.events ?? eventTypes))
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<Failure>()

  const save = async () => {
    setPending(true)
    setError(undefined)
    const input = {
      url: url.trim(),
      description: description.trim() === "" ? null : description.trim(),
      events: isAll ? null : eventTypes.filter((type) => chosen.has(type))
    }
    if (webhook === undefined) {
      const outcome = await createWebhook(input)
      setPending(false)
      invalidate("/v1/webhooks")
      if (outcome.ok) onSecret(outcome.data.secret)
      else setError(outcome.error)
      return
    }
    const outcome = await updateWebhook(webhook.id, input)
    setPending(false)
    invalidate("/v1/webhooks")
    if (!outcome.ok) {
      setError(outcome.error)
      return
    }
    toast("Webhook saved", { tone: "success" })
    onClose()
  }

  return (
    <Dialog
      title={webhook === undefined ? "New webhook" : "Edit the webhook"}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            form="webhook"
            busy={isPending}
            disabled={url.trim() === "" || (!isAll && chosen.size === 0)}
          >
            {webhook === undefined ? "Create" : "Save"}
          </Button>
        </>
      }
    >
      <form
        id="webhook"
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        {error !== undefined && fieldError(error, "url") === undefined && (
          <FormError>{describeFailure(error)}</FormError>
        )}
        <Field label="URL" hint="An https address on the internet" error={fieldError(error, "url")}>
          {(control) => (
            <Input
              {...control}
              type="url"
              value={url}
              placeholder="https://example.com/hooks"
              autofocus
              onInput={(event) => {
                setUrl(event.currentTarget.value)
              }}
            />
          )}
        </Field>
        <Field label="What it is for" hint="For people; may be empty" error={fieldError(error, "description")}>
          {(control) => (
            <Input
              {...control}
              value={description}
              maxLength={200}
              onInput={(event) => {
                setDescription(event.currentTarget.value)
              }}
            />
          )}
        </Field>
        <fieldset class="settings-choices">
          <legend>Events</legend>
          <Checkbox label="All events, later ones included" checked={isAll} onChange={setAll} />
          {!isAll &&
            eventTypes.map((type) => (
              <Checkbox
                key={type}
                label={eventNames[type]}
                checked={chosen.has(type)}
                onChange={(isOn) => {
                  setChosen(new Set(eventTypes.filter((each) => (each === type ? isOn : chosen.has(each)))))
                }}
              />
            ))}
        </fieldset>
      </form>
    </Dialog>
  )
}
