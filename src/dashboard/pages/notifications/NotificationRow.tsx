import type { NotificationJson } from "../../api/notifications.ts"
import { Link } from "../../shared/router.tsx"
import { classes } from "../../ui/classes.ts"
import { Icon, type IconName } from "../../ui/Icon.tsx"
import { Time } from "../../ui/time/Time.tsx"

interface Look {
  readonly icon: IconName
  readonly status: string
}

const unknownLook: Look = { icon: "bell", status: "draft" }

const looks: Readonly<Record<string, Look>> = {
  "post.published": { icon: "check", status: "published" },
  "post.failed": { icon: "cross", status: "failed" },
  "post.unconfirmed": { icon: "clock", status: "unknown" },
  "post.approval_requested": { icon: "hand", status: "approval" },
  "post.draft_overdue": { icon: "clock", status: "unknown" },
  "publishing.held": { icon: "clock", status: "unknown" },
  "integration.expiring": { icon: "accounts", status: "unknown" },
  "integration.disconnected": { icon: "accounts", status: "unknown" },
  "outlook.checked": { icon: "warning", status: "unknown" },
  "webhook.disabled": { icon: "webhook", status: "unknown" },
  "channel.disabled": { icon: "webhook", status: "unknown" }
}

export interface NotificationRowProps {
  readonly notification: NotificationJson
  /** True for a request for approval that was decided, or whose post has changed since. */
  readonly isOver: boolean
  readonly onOpen: (notification: NotificationJson) => void
}

export const NotificationRow = ({ isOver, notification, onOpen }: NotificationRowProps) => {
  const { action_url: target, created_at, message, read, title, type } = notification
  const { icon, status } = looks[type] ?? unknownLook
  const content = (
    <>
      <span class={classes("notification-icon", `status-${status}`)}>
        <Icon name={icon} />
      </span>
      <span class="notification-text">
        <span class="notification-title" dir="auto">
          {title}
          {isOver && <span class="secondary"> · no longer waits</span>}
          {!read && <span class="only-read"> (unread)</span>}
        </span>
        <span class="notification-message secondary" dir="auto">
          {message}
        </span>
      </span>
      <span class="notification-end">
        <Time at={created_at} as="clock" />
        {!read && <span class="notification-dot" aria-hidden="true" />}
      </span>
    </>
  )
  const className = classes("notification", !read && "notification-unread")
  const open = () => onOpen(notification)
  return (
    <li>
      {target === null ? (
        <button type="button" class={className} onClick={open}>
          {content}
        </button>
      ) : (
        <Link href={target} class={className} onFollow={open}>
          {content}
        </Link>
      )}
    </li>
  )
}
