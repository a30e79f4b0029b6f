import type { Settings } from "../Platform.ts"

export const twitter = {
  who_can_reply: {
    kind: "choice",
    description: "Who can reply; `mentionedUsers` are the users that the text mentions.",
    label: "Who may reply on X",
    choices: {
      everyone: "Everyone",
      following: "Accounts you follow",
      mentionedUsers: "Only mentioned accounts",
      subscribers: "Subscribers",
      verified: "Verified accounts"
    },
    default: "everyone"
  }
} as const satisfies Settings
