import { useState } from "preact/hooks"
import type { LivePlatform } from "../../../domain/platform.ts"
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
 * The cards that a platform makes of the first links of texts. The service is asked once for each link, as soon as typing stops. A
 * card is undefined without a link, and if the service can't be asked.
 *
 * @param platform The platform that makes cards; undefined if none of the post's does.
 * @param texts The texts there; undefined for a part that gets no card.
 */
export const useLinkCards = (
  platform: LivePlatform | undefined,
  texts: ReadonlyArray<string | undefined>
): ReadonlyArray<FoundCard | undefined> => {
  const [found, setFound] = useState<ReadonlyMap<string, FoundCard>>(new Map())
  const isConnected = useConnected()
  const links = texts.map((text) =>
    text === undefined || platform === undefined ? undefined : firstLink(text, platform)
  )
  const asked = links.find((link) => link !== undefined && !found.has(link))
  const ask = async (signal: AbortSignal) => {
    if (asked === undefined || platform === undefined) return
    const outcome = await validatePost({ content: asked, platforms: [platform], cards: true }, signal)
    // What did not reach the service stays unknown, and is asked for again.
    if (signal.aborted || (!outcome.ok && outcome.error._tag !== "ApiError")) return
    const card = outcome.ok ? (outcome.data.data.card ?? "none") : "none"
    setFound((before) => new Map([...Array.from(before).slice(1 - maxRemembered), [asked, card]]))
  }
  useAfterTyping(delayMillis, asked === undefined ? undefined : ask, [asked])
  return links.map((link) =>
    link === undefined ? undefined : (found.get(link) ?? (isConnected ? "loading" : undefined))
  )
}
