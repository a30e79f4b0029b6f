import type { Notification } from "../../domain/notification.ts"
import { request } from "./client.ts"
import type { Page } from "./pages.ts"
import { query } from "./query.ts"

export type NotificationJson = typeof Notification.Encoded

/** Newest first. */
export const notifications = {
  all: query<Page<NotificationJson>>("/v1/notifications"),
  attention: query<Page<NotificationJson>>("/v1/notifications?level=attention")
}

/** The count of unread notifications covers only these. */
export const newestNotifications = query<Page<NotificationJson>>("/v1/notifications?level=attention&limit=100")

export const markRead = (id: string) => request<unknown>("POST", `/v1/notifications/${encodeURIComponent(id)}/read`)

export const markAllRead = () => request<unknown>("POST", "/v1/notifications/read-all")
