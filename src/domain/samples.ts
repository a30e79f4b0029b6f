import { facts, liveFacts } from "../platforms/facts.ts"

export const platform = "twitter"
export const otherPlatform = "bluesky"
export const platforms = [platform, otherPlatform] as const
export const reviewPlatform = "tiktok"
export const settings = { twitter: { who_can_reply: "following" } } as const
export const overrides = { [otherPlatform]: "Our new release is out. Thank you for all the feedback!" } as const
export const { exampleUrl: postUrl, name: platformName } = liveFacts[platform]
export const { name: otherName } = liveFacts[otherPlatform]
export const { name: reviewName } = facts[reviewPlatform]

/** Shared by the API reference's examples, so that all show the same post. */
export const postId = "01981ccb-6c31-7d2c-9f47-5b8ed0a7c1f4"
export const copyId = "01981d52-7a4c-7e09-8b16-3c5d9e0f2a71"
export const groupId = "01981cc9-02e4-7b10-8c55-f3a91d6e20b7"
export const mediaId = "01981cca-3f12-7a64-8d0b-41e7c9a25f83"
export const integrationId = "01980f3a-91c0-7f6e-a2d4-0c7b5e918d63"
export const notificationId = "01981cd0-4f8a-7c3b-b1e6-92d40a6f7e15"
export const eventId = "01981cd0-4f8b-7d15-9a02-6e3f8b71c2d4"
export const webhookId = "01981a07-33e2-7c58-8b6d-50f9d2a4e713"
export const channelId = "01981a07-9d14-7a63-b0e2-84c7f16d3a59"
export const mailDeliveryId = "01981cd0-5b13-7e42-8a7d-1f60c9d2b385"
export const inviteId = "01981a08-6c21-7f3d-a4e9-1b7d50c83f26"
export const keyId = "01980e12-5a07-7b3c-8e41-d6a2f09c4b17"
export const userId = "01980e11-7d43-7a05-b6c8-2f9be1d0a374"
export const sessionId = "01981cc8-11d7-7a4e-9c2b-60f5e8a3b7d9"
export const workspaceId = "01980e10-2b96-7e81-9d3f-64c0a58f1be2"
export const requestId = "5f1e7a52-0c3d-4b8a-9e64-7d2f1b3c8a90"
