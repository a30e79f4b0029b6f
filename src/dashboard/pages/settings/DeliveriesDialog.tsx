import { describeFailure } from "../../api/errors.ts"
import { usePages } from "../../api/pages.ts"
import { invalidate } from "../../api/query.ts"
import { deliveriesOf, type DeliveryJson, resend, type WebhookJson } from "../../api/webhooks.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadMore } from "../../ui/LoadMore.tsx"
import { Loading, Skeleton } from "../../ui/Skeleton.tsx"
import { Time } from "../../ui/Time.tsx"
import { toast } from "../../ui/Toasts.tsx"

const looks = {
  delivered: { word: "Delivered", icon: "check", status: "published" },
  pending: { word: "Waiting", icon: "clock", status: "scheduled" },
  failed: { word: "Given up", icon: "cross", status: "failed" }
} as const

const DeliveryRow = ({ delivery, webhookId }: { readonly delivery: DeliveryJson; readonly webhookId: string }) => {
  const { created_at, id, log, next_attempt_at, status, type } = delivery
  const { icon, status: color, word } = looks[status]
  const sendAgain = async () => {
    const outcome = await resend(webhookId, id)
    if (outcome.ok) toast("Sent again", { tone: "success" })
    else toast(describeFailure(outcome.error), { tone: "error" })
    invalidate(`/v1/webhooks/${webhookId}/deliveries`)
  }
  return (
    <li class="delivery">
      <details>
        <summary>
          <span class={`settings-state status-${color}`}>
            <Icon name={icon} size={14} /> {word}
          </span>
          <span class="truncate">{type}</span>
          <Time at={created_at} />
        </summary>
        <dl class="delivery-facts">
          <div>
            <dt>Event</dt>
            <dd>
              <code>{id}</code>
            </dd>
          </div>
          {next_attempt_at !== null && (
            <div>
              <dt>Next attempt</dt>
              <dd>
                <Time at={next_attempt_at} />
              </dd>
            </div>
          )}
        </dl>
        <ol class="delivery-log">
          {log.map(({ at, duration_ms, error, response, status: code }) => (
            <li key={at}>
              <p>
                <Time at={at} as="exact" />: {code === null ? error : `status ${code}`}, {duration_ms} ms
              </p>
              {response !== "" && <pre>{response}</pre>}
            </li>
          ))}
          {log.length === 0 && <li class="secondary">Not sent yet</li>}
        </ol>
        <Button size="small" icon="refresh" onClick={() => void sendAgain()}>
          Send again
        </Button>
      </details>
    </li>
  )
}

/** In milliseconds: deliveries settle within seconds. */
const every = 5000

/** The deliveries of a webhook, with what it responded. */
export const DeliveriesDialog = ({
  onClose,
  webhook
}: {
  readonly webhook: WebhookJson
  readonly onClose: () => void
}) => {
  const list = usePages(deliveriesOf(webhook.id), { every })
  return (
    <Dialog title="Deliveries" size="large" onClose={onClose}>
      <p class="secondary truncate">{webhook.url}</p>
      {list.isLoading && (
        <>
          <Loading />
          <Skeleton height="row" lines={4} />
        </>
      )}
      {list.error !== undefined && <p role="alert">{describeFailure(list.error)}</p>}
      {list.items?.length === 0 && <p class="delivery-none">Nothing was sent yet. Send a test, or publish a post.</p>}
      <ul class="deliveries">
        {list.items?.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} webhookId={webhook.id} />
        ))}
      </ul>
      {list.hasMore && <LoadMore isLoading={list.isLoadingMore} onMore={list.loadMore} />}
    </Dialog>
  )
}
