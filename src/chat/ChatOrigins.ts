import { Context } from "effect"

/** Other origins for hosts of chat programs, as stand-ins have them. */
export const ChatOrigins = Context.Reference<Readonly<Record<string, string>>>("social-publisher/chat/ChatOrigins", {
  defaultValue: () => ({})
})
