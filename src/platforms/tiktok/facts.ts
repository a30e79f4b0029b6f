import type { Facts } from "../Platform.ts"

export const tiktok = {
  name: "TikTok",
  aliases: ["tt"],
  mark: "M8.400 1.800h2.200c.1 1.600 1.100 2.700 2.800 2.800v2.200c-1 0-2-.3-2.800-.9v4.300c0 5-7 5.400-7.600.9-.4-2.900 2.200-4.700 4.600-4.100v2.300c-1.300-.4-2.400.4-2.300 1.600.2 1.700 3.100 1.600 3.100-.7V1.800Z"
} satisfies Facts
