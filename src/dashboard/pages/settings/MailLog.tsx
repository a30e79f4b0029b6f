import { mailLog, resendMail } from "../../api/mail.ts"
import { usePages } from "../../api/pages.ts"
import { ListEnd } from "../../shared/page/ListEnd.tsx"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { report } from "../../shared/report.ts"
import { LoggedDelivery } from "./LoggedDelivery.tsx"

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
            <LoggedDelivery
              key={delivery.id}
              delivery={delivery}
              start={`To ${delivery.email}, `}
              sendAgainLabel={`Send again to ${delivery.email}`}
              onSendAgain={() => void report(resendMail(delivery.id), mailLog.path, "Sent again")}
            />
          ))}
        </ul>
      )}
      <ListEnd list={list} />
    </section>
  )
}
