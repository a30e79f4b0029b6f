import type { PostJson } from "../../api/posts.ts"

export type Replies = NonNullable<NonNullable<PostJson["platform_settings"]["twitter"]>["who_can_reply"]>

/** Who may reply on X, in words. */
export const replyChoices: Readonly<Record<Replies, string>> = {
  everyone: "Everyone",
  following: "Accounts you follow",
  mentionedUsers: "Only mentioned accounts",
  subscribers: "Subscribers",
  verified: "Verified accounts"
}
