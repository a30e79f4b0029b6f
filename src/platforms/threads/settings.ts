import type { Settings } from "../Platform.ts"

export const threads = {
  reply_control: {
    kind: "choice",
    description: "Who can reply.",
    label: "Who may reply on Threads",
    choices: {
      everyone: "Everyone",
      accounts_you_follow: "Accounts you follow",
      mentioned_only: "Only mentioned accounts",
      followers_only: "Followers"
    },
    default: "everyone"
  },
  topic_tag: {
    kind: "text",
    label: "Topic on Threads",
    hint: "Such as Coffee, without #.",
    description:
      "The post's topic, without `#` and without spaces at its ends: up to 50 characters in one line, none of them a period or an ampersand.",
    pattern: /^(?=[^.&\p{Cc}]{1,50}$)(?![#＃\s]).*[\p{L}\p{N}\p{P}\p{S}].*(?<!\s)$/u,
    expected: "a topic in one line of up to 50 characters, without #, periods and ampersands"
  }
} as const satisfies Settings
