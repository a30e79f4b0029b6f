import type { ComponentChildren } from "preact"
import type { MailDeliveryJson } from "../../api/mail.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { mailName } from "./mailNames.ts"
import { SettingsRow } from "./SettingsRow.tsx"

const looks = {
  pending: { word: "Waiting", icon: "clock", color: "scheduled" },
  sent: { word: "Sent", icon: "check", color: "published" },
  failed: { word: "Given up", icon: "cross", color: "failed" },
  dropped: { word: "Not needed any more", icon: "check", color: "draft" }
} as const

const retried = { word: "Failed, tried again", icon: "warning", color: "unknown" } as const

export interface LoggedDeliveryProps {
  readonly delivery: Omit<MailDeliveryJson, "email" | "user_id">
  /** Before its time, such as its receiver. */
  readonly start?: ComponentChildren
  /** Names the button that sends it again. */
  readonly sendAgainLabel: string
  readonly onSendAgain: () => void
}

/** A row of the log of mail, or of a channel. */
export const LoggedDelivery = ({ delivery, onSendAgain, sendAgainLabel, start }: LoggedDeliveryProps) => {
  const { attempts, count, created_at, error, next_attempt_at: nextAt, status, type } = delivery
  const { color, icon, word } = status === "pending" && attempts > 0 ? retried : looks[status]
  const name = mailName(type)
  return (
    <SettingsRow
      name={count === 1 ? name : `${name} (${count} notifications)`}
      title={type}
      facts={[
        <>
          {start}
          <Time at={created_at} as="sentence" />
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
        <Button size="small" icon="refresh" aria-label={`${sendAgainLabel}: ${name}`} onClick={onSendAgain}>
          Send again
        </Button>
      )}
    </SettingsRow>
  )
}
