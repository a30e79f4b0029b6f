import { useQuery } from "../../api/query.ts"
import { type WebhookJson, webhooks } from "../../api/webhooks.ts"
import { dropQuery, querySetter, useLocation } from "../../shared/router.tsx"
import { Copyable } from "../../ui/controls/Copyable.tsx"
import { useOpen } from "../../ui/useOpen.ts"
import { DeliveriesDialog } from "./DeliveriesDialog.tsx"
import { SecretDialog } from "./SecretDialog.tsx"
import { SettingsList } from "./SettingsList.tsx"
import { WebhookDialog } from "./WebhookDialog.tsx"
import { WebhookRow } from "./WebhookRow.tsx"

const example = `curl ${window.location.origin}/v1/webhooks \\
  -H 'Authorization: Bearer sps_…' \\
  -H 'Content-Type: application/json' \\
  -d '{"url":"https://example.com/hooks"}'`

const empty = {
  icon: "webhook",
  title: "No webhooks",
  text: (
    <>
      <p>
        A webhook gets a signed request for each event, as in Standard Webhooks. A program with a key that may manage
        webhooks can create one too:
      </p>
      <Copyable label="A command that creates a webhook" text={example} block />
    </>
  )
} as const

export const Page = () => {
  const list = useQuery(webhooks)
  const form = useOpen<{ readonly webhook: WebhookJson | undefined }>()
  const secret = useOpen<string>()
  const shownId = useLocation().query.get("deliveries")
  const all = list.data?.data
  const shown = all?.find(({ id }) => id === shownId)
  return (
    <SettingsList
      description="Tell other systems what happens to posts and accounts"
      list={list}
      count={all?.length}
      add={{ label: "New webhook", onClick: () => form.open({ webhook: undefined }) }}
      empty={empty}
    >
      {all !== undefined && all.length > 0 && (
        <ul class="settings-list">
          {all.map((webhook) => (
            <WebhookRow
              key={webhook.id}
              webhook={webhook}
              onEdit={() => form.open({ webhook })}
              onSecret={secret.open}
              onDeliveries={querySetter({ deliveries: webhook.id })}
            />
          ))}
        </ul>
      )}
      {form.opened !== undefined && <WebhookDialog {...form.opened} onClose={form.close} onSecret={secret.open} />}
      {secret.opened !== undefined && (
        <SecretDialog title="Signing secret" label="Signing secret" secret={secret.opened} onClose={secret.close}>
          <p class="secondary">
            The receiver checks <code>webhook-signature</code> with it, as libraries for Standard Webhooks do.
          </p>
        </SecretDialog>
      )}
      {shown !== undefined && <DeliveriesDialog webhook={shown} onClose={() => dropQuery("deliveries")} />}
    </SettingsList>
  )
}
