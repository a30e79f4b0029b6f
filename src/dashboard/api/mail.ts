import type { MailDeliveryPage } from "../../api/people/MailLog.ts"
import type { OneMailChoices } from "../../api/people/Mail.ts"
import { request } from "./client.ts"
import { query } from "./query.ts"

export type MailJson = (typeof OneMailChoices.Encoded)["data"]

export const mail = query<typeof OneMailChoices.Encoded>("/v1/session/mail")

export const updateMail = (changes: Partial<Omit<MailJson, "enabled" | "time_zone">>) =>
  request<typeof OneMailChoices.Encoded>("PATCH", "/v1/session/mail", { body: changes })

export type MailDeliveryJson = (typeof MailDeliveryPage.Encoded)["data"][number]

/** Newest first. */
export const mailLog = query<typeof MailDeliveryPage.Encoded>("/v1/mail/deliveries")

export const resendMail = (id: string) =>
  request<unknown>("POST", `/v1/mail/deliveries/${encodeURIComponent(id)}/resend`)
