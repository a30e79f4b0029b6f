import type { Facts } from "../Platform.ts"

export const tiktok = {
  name: "TikTok",
  aliases: ["tt"],
  mark: "M8.400 1.800h2.200c.1 1.600 1.100 2.700 2.800 2.800v2.200c-1 0-2-.3-2.800-.9v4.300c0 5-7 5.400-7.600.9-.4-2.900 2.200-4.700 4.600-4.100v2.300c-1.300-.4-2.400.4-2.300 1.600.2 1.700 3.100 1.600 3.100-.7V1.800Z",
  settings: {
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
  } as const
} satisfies Facts
