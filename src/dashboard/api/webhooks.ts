import type { DeliveryPage, OneDelivery, OneWebhook, WebhookList, WithSecret } from "../../api/webhooks/Webhooks.ts"
import { request } from "./client.ts"
import { query } from "./query.ts"

export type WebhookJson = (typeof WebhookList.Encoded)["data"][number]
export type DeliveryJson = (typeof DeliveryPage.Encoded)["data"][number]

export const webhooks = query<typeof WebhookList.Encoded>("/v1/webhooks")

const pathOf = (id: string) => `/v1/webhooks/${encodeURIComponent(id)}`

/** Newest first. */
export const deliveriesOf = (id: string) => query<typeof DeliveryPage.Encoded>(`${pathOf(id)}/deliveries`)

export interface WebhookInput {
  readonly url: string
  readonly description: string | null
  /** Null for all events. */
  readonly events: WebhookJson["events"]
}

export const createWebhook = (body: WebhookInput) =>
  request<typeof WithSecret.Encoded>("POST", "/v1/webhooks", { body })

export const updateWebhook = (id: string, body: Partial<WebhookInput> & { readonly enabled?: boolean }) =>
  request<typeof OneWebhook.Encoded>("PATCH", pathOf(id), { body })

export const deleteWebhook = (id: string) => request<unknown>("DELETE", pathOf(id))

export const rotateWebhookSecret = (id: string) =>
  request<typeof WithSecret.Encoded>("POST", `${pathOf(id)}/rotate-secret`, { body: {} })

export const testWebhook = (id: string) => request<typeof OneDelivery.Encoded>("POST", `${pathOf(id)}/test`)

export const resend = (id: string, eventId: string) =>
  request<typeof OneDelivery.Encoded>("POST", `${pathOf(id)}/deliveries/${encodeURIComponent(eventId)}/resend`)
