import type { NotificationEvent } from "../notification.ts"

/** The notification that every workspace gets after a restore. */
export const publishingHeld = {
  title: "Publishing is on hold",
  message:
    "The database was restored from a backup, so nothing is published until an administrator of the service resumes publishing. " +
    "Check which posts fall due in the meantime.",
  actionUrl: "/posts?status=scheduled",
  type: "publishing.held"
} as const satisfies Pick<NotificationEvent, "type"> & Readonly<Record<string, string>>
