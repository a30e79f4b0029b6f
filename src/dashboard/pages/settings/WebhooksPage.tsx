import { useState } from "preact/hooks"
import { useQuery } from "../../api/query.ts"
import { type WebhookJson, webhooks } from "../../api/webhooks.ts"
import { setQuery, useLocation } from "../../shared/router.tsx"
import { Copyable } from "../../ui/controls/Copyable.tsx"
import { DeliveriesDialog } from "./DeliveriesDialog.tsx"
import { SecretDialog } from "./SecretDialog.tsx"
import { SettingsList } from "./SettingsList.tsx"
import { WebhookDialog } from "./WebhookDialog.tsx"
import { WebhookRow } from "./WebhookRow.tsx"

const example = `curl ${window.location.origin}/v1/webhooks \\
  -H 'Authorization: Bearer sps_…' \\
  -H 'Content-Type: application/json' \\
  -d '{"url":"https://example.com/hooks"}'`

type Open =
  | { readonly what: "new" }
  | { readonly what: "edit"; readonly webhook: WebhookJson }
  | { readonly what: "secret"; readonly secret: string }

export const Page = () => {
  const list = useQuery(webhooks)
  const [open, setOpen] = useState<Open>()
  const close = () => {
    setOpen(undefined)
  }
  const shownId = useLocation().query.get("deliveries")
  const all = list.data?.data
  const shown = all?.find(({ id }) => id === shownId)
  return (
    <SettingsList
      description="Tell other systems what happens to posts and accounts"
      list={list}
      count={all?.length}
      add={{
        label: "New webhook",
        onClick: () => {
          setOpen({ what: "new" })
        }
      }}
      empty={{
        icon: "webhook",
        title: "No webhooks",
        text: (
          <>
            <p>
              A webhook gets a signed request for each event, as in Standard Webhooks. A program with a key that may
              manage webhooks can create one too:
            </p>
            <Copyable label="A command that creates a webhook" text={example} block />
          </>
        )
      }}
    >
      {all !== undefined && all.length > 0 && (
        <ul class="settings-list">
          {all.map((webhook) => (
            <WebhookRow
              key={webhook.id}
              webhook={webhook}
              onEdit={() => {
                setOpen({ what: "edit", webhook })
              }}
              onSecret={(secret) => {
                setOpen({ what: "secret", secret })
              }}
              onDeliveries={() => {
                setQuery({ deliveries: webhook.id })
              }}
            />
          ))}
        </ul>
      )}
      {(open?.what === "new" || open?.what === "edit") && (
        <WebhookDialog
          webhook={open.what === "edit" ? open.webhook : undefined}
          onClose={close}
          onSecret={(secret) => {
            setOpen({ what: "secret", secret })
          }}
        />
      )}
      {open?.what === "secret" && (
        <SecretDialog title="Signing secret" label="Signing secret" secret={open.secret} onClose={close}>
          <p class="secondary">
            The receiver checks <code>webhook-signature</code> with it, as libraries for Standard Webhooks do.
          </p>
        </SecretDialog>
      )}
      {shown !== undefined && (
        <DeliveriesDialog
          webhook={shown}
          onClose={() => {
            setQuery({ deliveries: undefined })
          }}
        />
      )}
    </SettingsList>
  )
}
