import { type MailDeliveryJson, mailLog, resendMail } from "../../api/mail.ts"
import { usePages } from "../../api/pages.ts"
import { ListEnd } from "../../shared/page/ListEnd.tsx"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { report } from "../../shared/report.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { SettingsRow } from "./SettingsRow.tsx"
import { mailName } from "./mailNames.ts"

const looks = {
  pending: { word: "Waiting", icon: "clock", color: "scheduled" },
  sent: { word: "Sent", icon: "check", color: "published" },
  failed: { word: "Given up", icon: "cross", color: "failed" },
  dropped: { word: "Not needed any more", icon: "check", color: "draft" }
} as const

const retried = { word: "Failed, tried again", icon: "warning", color: "unknown" } as const

const MailRow = ({ delivery }: { readonly delivery: MailDeliveryJson }) => {
  const { attempts, count, created_at, email, error, id, next_attempt_at: nextAt, status, type } = delivery
  const { color, icon, word } = status === "pending" && attempts > 0 ? retried : looks[status]
  const name = mailName(type)
  const sendAgain = () => report(resendMail(id), mailLog.path, "Sent again")
  return (
    <SettingsRow
      name={count === 1 ? name : `${name} (${count} notifications)`}
      title={type}
      facts={[
        <>
          To {email}, <Time at={created_at} as="sentence" />
          {nextAt !== null && (
            <>
              {" "}
              · due <Time at={nextAt} as="sentence" />
            </>
          )}
        </>,
        ...(error === null ? [] : [error])
      ]}
      state={
        <span class={`settings-state status-${color}`}>
          <Icon name={icon} size={14} /> {word}
        </span>
      }
    >
      {status !== "pending" && (
        <Button
          size="small"
          icon="refresh"
          aria-label={`Send to ${email} again: ${name}`}
          onClick={() => void sendAgain()}
        >
          Send again
        </Button>
      )}
    </SettingsRow>
  )
}

/** Milliseconds between reloads. */
const every = 10_000

/** For admins. */
export const MailLog = () => {
  const list = usePages(mailLog, { every })
  return (
    <section class="settings-section" aria-labelledby="mail-log">
      <h2 id="mail-log">What was mailed to members</h2>
      <LoadState of={list} height="row" lines={3} />
      {list.items?.length === 0 && <p class="secondary">Nothing was mailed in the last 30 days.</p>}
      {list.items !== undefined && list.items.length > 0 && (
        <ul class="settings-list">
          {list.items.map((delivery) => (
            <MailRow key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
      <ListEnd list={list} />
    </section>
  )
}
