import type { Facts } from "../Platform.ts"

export const facebook = {
  name: "Facebook",
  aliases: ["fb"],
  mark: "M9 14V8.800h1.900l.3-2.100H9V5.400c0-.6.2-1 1.100-1h1.200V2.500c-.2 0-.9-.1-1.700-.1-1.700 0-2.800 1-2.800 2.900v1.400H4.900v2.100h1.900V14H9Z",
  settings: {}
} satisfies Facts
