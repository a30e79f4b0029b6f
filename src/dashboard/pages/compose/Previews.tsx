import type { LivePlatform } from "../../../domain/platform.ts"
import { shownText, shownTitle } from "../../../domain/plain/shownText.ts"
import { liveFacts } from "../../../platforms/facts.ts"
import { shownConnected } from "../../shared/accounts/useAccounts.ts"
import { shownCard, shownMedium } from "../../shared/TargetPreview.tsx"
import { foldPreviews } from "../../ui/preview/foldPreviews.ts"
import { PostPreview, type ShownCard } from "../../ui/preview/PostPreview.tsx"
import { firstLink, quoteLink } from "../../ui/preview/richText.ts"
import { chainOn, type ComposePart, textOn } from "./parts.ts"
import type { Editor, EditorProps } from "./useEditor.ts"
import { type FoundCard, useLinkCards } from "./useLinkCard.ts"

const hostOf = (link: string): string => URL.parse(/^https?:/i.test(link) ? link : `https://${link}`)?.host ?? link

const explain = (found: "loading" | "none" | undefined): string => {
  if (found === "loading") return "Reading the page…"
  return found === "none"
    ? "The page can’t be read, so there may be no card."
    : "The title and the picture are read from the page when you schedule."
}

/** The card that a platform will show. The service reads the page again when the post is scheduled. */
const cardOf = (link: string | undefined, found: FoundCard | undefined): ShownCard | undefined => {
  if (link === undefined) return undefined
  if (typeof found === "object") return shownCard(found)
  return { host: hostOf(link), title: hostOf(link), description: explain(found) }
}

/** The link that becomes a card, or in a part with files a quote. */
const cardLink = (part: ComposePart, platform: LivePlatform): string | undefined =>
  (part.media.length === 0 ? firstLink : quoteLink)(textOn(part, platform), platform)

const showMedia = ({ media }: ComposePart, pictures: Editor["pictures"]) =>
  media.map((medium) => {
    const shown = shownMedium(medium)
    const src = medium.type === "video" ? shown.src : (pictures.get(medium.id) ?? shown.src)
    return { ...shown, src }
  })

const emptyPost = "Your post appears here as you type."
const emptyPart = "This part is empty."

export const Previews = ({ editor: { accounts, parts, pictures, platforms, state } }: EditorProps) => {
  const { settings = {} } = state.form
  const carding = platforms.find((platform) => liveFacts[platform].card !== null)
  const linked =
    carding === undefined
      ? []
      : chainOn(parts, carding).map(({ index, part }) => ({ index, link: cardLink(part, carding) }))
  const cards = useLinkCards(
    carding,
    linked.map(({ link }) => link)
  )
  // A post has one card, which other platforms show if their text has the same link.
  const cardFor = (platform: LivePlatform, part: ComposePart, index: number): ShownCard | undefined => {
    const place = linked.findIndex((one) => one.index === index)
    const link = linked[place]?.link
    return liveFacts[platform].card !== null && cardLink(part, platform) === link
      ? cardOf(link, cards[place])
      : undefined
  }
  const previews = platforms.map((platform) => ({
    platform,
    account: shownConnected(accounts, platform),
    parts: chainOn(parts, platform).map(({ index, part }) => ({
      title: shownTitle(platform, settings),
      text: shownText(platform, settings, textOn(part, platform)),
      placeholder: part.media.length > 0 ? undefined : index === 0 ? emptyPost : emptyPart,
      media: showMedia(part, pictures),
      card: cardFor(platform, part, index)
    }))
  }))
  return (
    // The section scrolls. The keyboard can reach its end only if it can have the focus.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section class="compose-previews" aria-label="Preview" tabIndex={0}>
      {foldPreviews(previews).map((preview) => (
        <PostPreview key={preview.platform} {...preview} isFolded />
      ))}
    </section>
  )
}
