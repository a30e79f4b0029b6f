import { useState } from "preact/hooks"
import type { LivePlatform } from "../../../domain/platform.ts"
import { useConnected } from "../../api/connection.ts"
import { validatePost, type ValidationJson } from "../../api/postActions.ts"
import { useAfterTyping } from "./useAfterTyping.ts"

/** The pause is long, because a half-typed address is the address of another page. */
const delayMillis = 900

const maxRemembered = 50

export type FoundCard = NonNullable<ValidationJson["card"]> | "loading" | "none"

/**
 * The card of each link. Each link is requested once, when typing pauses. A card is undefined without a link, or if the
 * service can't be reached.
 * @param platform The platform that makes cards; undefined if the post has none.
 * @param links Undefined for a part without a card.
 */
export const useLinkCards = (
  platform: LivePlatform | undefined,
  links: ReadonlyArray<string | undefined>
): ReadonlyArray<FoundCard | undefined> => {
  const [found, setFound] = useState<ReadonlyMap<string, FoundCard>>(new Map())
  const isConnected = useConnected()
  const asked = links.find((link) => link !== undefined && !found.has(link))
  const ask = async (signal: AbortSignal) => {
    if (asked === undefined || platform === undefined) return
    const outcome = await validatePost({ content: asked, platforms: [platform], cards: true }, signal)
    // Leaves the card unknown, so that it is requested again.
    if (signal.aborted || (!outcome.ok && outcome.error._tag !== "ApiError")) return
    const card = outcome.ok ? (outcome.data.data.card ?? "none") : "none"
    setFound((before) => new Map([...Array.from(before).slice(1 - maxRemembered), [asked, card]]))
  }
  useAfterTyping(delayMillis, asked === undefined ? undefined : ask, [asked])
  return links.map((link) =>
    link === undefined ? undefined : (found.get(link) ?? (isConnected ? "loading" : undefined))
  )
}
