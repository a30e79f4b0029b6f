import { useState } from "preact/hooks"
import { useConnected } from "../../api/connection.ts"
import { validatePost, type ValidationJson } from "../../api/postActions.ts"
import { firstLink } from "../../ui/preview/richText.ts"
import { useAfterTyping } from "./useAfterTyping.ts"

/** How long typing has to stop before the page of a link is asked for, in milliseconds: half an address is another page. */
const delayMillis = 900

/** Pages that are remembered while a post is written. */
const maxRemembered = 50

/** What is known of the card of a link. */
export type FoundCard = NonNullable<ValidationJson["card"]> | "loading" | "none"

/**
 * The card that Bluesky makes of the first link of a text. The service is asked once for each link, as soon as typing stops. Undefined
 * without a link, or where the service can't be asked.
 *
 * @param text The text on Bluesky; undefined where the post gets no card there.
 */
export const useLinkCard = (text: string | undefined): FoundCard | undefined => {
  const [found, setFound] = useState<ReadonlyMap<string, FoundCard>>(new Map())
  const isConnected = useConnected()
  const link = text === undefined ? undefined : firstLink(text)
  const known = link === undefined ? undefined : found.get(link)
  const isAsked = link !== undefined && known === undefined && isConnected
  const ask = async (signal: AbortSignal) => {
    if (link === undefined) return
    const outcome = await validatePost({ content: link, platforms: ["bluesky"], cards: true }, signal)
    // What did not reach the service is asked again once the connection is back.
    if (signal.aborted || (!outcome.ok && outcome.error._tag !== "ApiError")) return
    const card = outcome.ok ? (outcome.data.data.card ?? "none") : "none"
    setFound((before) => new Map([...Array.from(before).slice(1 - maxRemembered), [link, card]]))
  }
  useAfterTyping(delayMillis, isAsked ? ask : undefined, [link, isAsked])
  return known ?? (isAsked ? "loading" : undefined)
}
