import type { Settings } from "../Platform.ts"

export const tiktok = {
  tiktok_title: { kind: "text", description: "The title; replaces the one derived from the text." },
  privacy_level: {
    kind: "choice",
    description: "Who can see the video.",
    label: "Who can see the video",
    choices: { PUBLIC_TO_EVERYONE: "Everyone", MUTUAL_FOLLOW_FRIENDS: "Friends", SELF_ONLY: "Only you" }
  },
  allow_duet: { kind: "flag", description: "Whether to allow duets." },
  allow_stitch: { kind: "flag", description: "Whether to allow stitches." },
  allow_comment: { kind: "flag", description: "Whether to allow comments." }
} as const satisfies Settings
