import type { OutlookResponse, OutlookSettingsResponse } from "../../api/posts/Outlook.ts"
import { request } from "./client.ts"
import { query } from "./query.ts"

export const outlook = query<typeof OutlookResponse.Encoded>("/v1/outlook")

/** The most posts that the service lists. */
const longestList = 500
export const longOutlook = query<typeof OutlookResponse.Encoded>(`/v1/outlook?limit=${longestList}`)

/** Milliseconds for which pages other than Upcoming show a check without asking for another. */
export const outlookFreshFor = 300_000

export type OutlookSettingsJson = (typeof OutlookSettingsResponse.Encoded)["data"]

export const outlookSettings = query<typeof OutlookSettingsResponse.Encoded>("/v1/outlook/settings")

export const updateOutlookSettings = (changes: Partial<Pick<OutlookSettingsJson, "always_notify" | "hour">>) =>
  request<typeof OutlookSettingsResponse.Encoded>("PATCH", "/v1/outlook/settings", { body: changes })
