import { usePages } from "../../api/pages.ts"
import { deliveriesOf, type DeliveryJson, resend, type WebhookJson } from "../../api/webhooks.ts"
import { ListEnd } from "../../shared/page/ListEnd.tsx"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { report } from "../../shared/report.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Time, useNow } from "../../ui/time/Time.tsx"
import { describeEvent } from "./events.ts"

/** The fields are in the order in which they are sent. */
const describePayload = ({ payload: { data, timestamp, type } }: DeliveryJson): string =>
  JSON.stringify({ type, timestamp, data }, null, 2)

const looks = {
  delivered: { word: "Delivered", icon: "check", status: "published" },
  pending: { word: "Waiting", icon: "clock", status: "scheduled" },
  failed: { word: "Given up", icon: "cross", status: "failed" }
} as const

const retried = { word: "Failed, tried again", icon: "warning", status: "unknown" } as const

/** A delivery that is due waits until earlier ones are done. */
const NextAttempt = ({ at }: { readonly at: string }) =>
  new Date(at) <= useNow() ? (
    <>It is sent after the events before it.</>
  ) : (
    <>
      Sent again <Time at={at} as="sentence" />
    </>
  )

const DeliveryRow = ({ delivery, webhook }: { readonly delivery: DeliveryJson; readonly webhook: WebhookJson }) => {
  const { attempts, created_at, id, log, next_attempt_at, status, type } = delivery
  const { icon, status: color, word } = status === "pending" && attempts > 0 ? retried : looks[status]
  const sendAgain = () => report(resend(webhook.id, id), deliveriesOf(webhook.id).path, "Sent again")
  return (
    <li class="delivery">
      <details>
        <summary>
          <span class={`settings-state status-${color}`}>
            <Icon name={icon} size={14} /> {word}
          </span>
          <span class="truncate" title={type}>
            {describeEvent(type)}
          </span>
          <Time at={created_at} />
        </summary>
        <h3>Request</h3>
        <pre class="delivery-text">{`POST ${webhook.url}\nwebhook-id: ${id}\n\n${describePayload(delivery)}`}</pre>
        <h3>Responses</h3>
        <ol class="delivery-log">
          {log.map(({ at, duration_ms, error, response, status: code }) => (
            <li key={at}>
              <p>
                <Time at={at} as="exact" />: {code === null ? error : `status ${code}`}, {duration_ms} ms
              </p>
              {response !== "" && <pre class="delivery-text">{response}</pre>}
            </li>
          ))}
          {log.length === 0 && <li class="secondary">Not sent yet</li>}
          {next_attempt_at !== null && (
            <li class="secondary">
              <NextAttempt at={next_attempt_at} />
            </li>
          )}
        </ol>
        <Button size="small" icon="refresh" onClick={() => void sendAgain()}>
          Send again
        </Button>
      </details>
    </li>
  )
}

/** Milliseconds between reloads. Most deliveries are done within seconds. */
const every = 5000

export interface DeliveriesDialogProps {
  readonly webhook: WebhookJson
  readonly onClose: () => void
}

export const DeliveriesDialog = ({ onClose, webhook }: DeliveriesDialogProps) => {
  const list = usePages(deliveriesOf(webhook.id), { every })
  return (
    <Dialog title="Deliveries" size="large" hasAddress onClose={onClose}>
      <p class="secondary truncate">{webhook.url}</p>
      <LoadState of={list} height="row" lines={4} />
      {list.items?.length === 0 && (
        <p class="delivery-none secondary">Nothing was sent yet. Send a test, or publish a post.</p>
      )}
      <ul class="deliveries">
        {list.items?.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} webhook={webhook} />
        ))}
      </ul>
      <ListEnd list={list} />
    </Dialog>
  )
}
