import type { Notification } from "../../domain/notification.ts"
import type { Page } from "./pages.ts"
import { query } from "./query.ts"

export type NotificationJson = typeof Notification.Encoded

/** Newest first. */
export const notifications = query<Page<NotificationJson>>("/v1/notifications")
