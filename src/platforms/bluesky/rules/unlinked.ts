import domains from "tlds" with { type: "json" }
import { findEntities } from "../../../domain/posts/text/entities.ts"
import { postText } from "./richText.ts"

const topLevelDomains = new Set(domains)

/** Text that is meant as a link: an address, or a name whose end is a top-level domain. Email addresses are none. */
const meant =
  /(?<![\w@./#$&=?%:-])(?:https?:\/\/[^\s<>"「」『』（）、。]+|[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.(?<domain>[a-z]{2,}))(?![\w@-])/giu

const maxReasons = 5

const step = (text: string, found: string, index: number): string => {
  if (/\.\.+$/.test(found) || text.startsWith("..", index + found.length)) return "put a space before the dots"
  if (/^https?:/i.test(found) && !/^https?:/.test(found)) return "write its beginning in small letters"
  if (index > 0 && !/[\s(]/.test(text.charAt(index - 1))) return "put a space before it"
  return "write https:// before it"
}

/** The reasons follow the platform's name. They are for links that Bluesky's own app does not make either. */
export const explainUnlinked = (written: string): ReadonlyArray<string> => {
  const text = postText(written)
  const links = findEntities(text).filter(({ feature }) => feature._tag === "Link")
  return Array.from(text.matchAll(meant))
    .flatMap(({ 0: found, groups, index }) => {
      const name = groups?.["domain"]
      if (name !== undefined && !topLevelDomains.has(name)) return []
      const linked = links.find(({ end, start }) => start <= index && index < end)
      // Only the last of several full stops is left out of a link.
      if (linked !== undefined && !text.slice(linked.start, linked.end).endsWith(".")) return []
      const shown = found.replace(/\p{P}+$/u, "")
      return [`makes no link of ${shown} as it is written: ${step(text, found, index)}`]
    })
    .slice(0, maxReasons)
}
