import type { Settings } from "../Platform.ts"

export const tiktok = {
  tiktok_title: {
    kind: "text",
    label: "Caption on TikTok, in place of the text",
    description: "The title; replaces the one derived from the text, which is then not measured for TikTok."
  },
  privacy_level: {
    kind: "choice",
    description:
      "Who can see the video. Required to schedule a post, without a default, and one of the options that the account has when the video is sent.",
    label: "Who can see the video on TikTok",
    choices: { PUBLIC_TO_EVERYONE: "Everyone", MUTUAL_FOLLOW_FRIENDS: "Friends", SELF_ONLY: "Only you" }
  },
  allow_comment: { kind: "flag", label: "Allow comments on TikTok", description: "Whether to allow comments." },
  allow_duet: { kind: "flag", label: "Allow duets on TikTok", description: "Whether to allow duets." },
  allow_stitch: { kind: "flag", label: "Allow stitches on TikTok", description: "Whether to allow stitches." },
  promotes_own_brand: {
    kind: "flag",
    label: "Discloses that the video promotes your own brand",
    description: "Whether the video promotes the account's own brand. TikTok labels it as promotional content."
  },
  is_branded_content: {
    kind: "flag",
    label: "Discloses that the video promotes another brand (paid partnership)",
    description:
      "Whether the video promotes another brand. TikTok labels it as a paid partnership. Such a video can't be SELF_ONLY."
  },
  is_ai_generated: {
    kind: "flag",
    label: "Discloses that the video was made by AI",
    description: "Whether the video was made by AI. TikTok labels it."
  }
} as const satisfies Settings
