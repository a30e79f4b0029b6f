import type { ChannelDeliveryPage, ChannelList, OneChannel, TestedChannel } from "../../api/webhooks/Channels.ts"
import { request } from "./client.ts"
import { query } from "./query.ts"

export type ChannelJson = (typeof ChannelList.Encoded)["data"][number]

export const channels = query<typeof ChannelList.Encoded>("/v1/channels")

const pathOf = (id: string) => `/v1/channels/${encodeURIComponent(id)}`

/** Newest first. */
export const channelLog = (id: string) => query<typeof ChannelDeliveryPage.Encoded>(`${pathOf(id)}/deliveries`)

export type ChannelInput = Pick<ChannelJson, "name" | "url" | "types">

export const createChannel = (body: ChannelInput & Pick<ChannelJson, "kind">) =>
  request<typeof OneChannel.Encoded>("POST", "/v1/channels", { body })

export const updateChannel = (id: string, body: Partial<ChannelInput> & { readonly enabled?: boolean }) =>
  request<typeof OneChannel.Encoded>("PATCH", pathOf(id), { body })

export const deleteChannel = (id: string) => request<unknown>("DELETE", pathOf(id))

export const testChannel = (id: string) => request<typeof TestedChannel.Encoded>("POST", `${pathOf(id)}/test`)

export const resendToChannel = (id: string, deliveryId: string) =>
  request<unknown>("POST", `${pathOf(id)}/deliveries/${encodeURIComponent(deliveryId)}/resend`)
