import type { OneMailChoices } from "../../api/people/Mail.ts"
import { request } from "./client.ts"
import { query } from "./query.ts"

export type MailJson = (typeof OneMailChoices.Encoded)["data"]

export const mail = query<typeof OneMailChoices.Encoded>("/v1/session/mail")

export const updateMail = (changes: Partial<Omit<MailJson, "enabled" | "time_zone">>) =>
  request<typeof OneMailChoices.Encoded>("PATCH", "/v1/session/mail", { body: changes })
