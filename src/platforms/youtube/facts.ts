import type { Facts } from "../Platform.ts"

export const youtube = {
  name: "YouTube",
  aliases: ["yt"],
  mark: "M3.500 3h9C13.900 3 15 4.100 15 5.500v5c0 1.400-1.100 2.500-2.500 2.500h-9A2.500 2.500 0 0 1 1 10.500v-5C1 4.100 2.100 3 3.500 3Zm3.200 2.800v4.400L10.500 8 6.700 5.800Z"
} satisfies Facts
