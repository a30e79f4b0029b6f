import type { PlatformRules } from "../../../domain/posts/platformRules.ts"
import { findEntities } from "../../../domain/posts/text/entities.ts"
import { findTemplates } from "./littleText.ts"
import { media } from "./media.ts"
import { measure } from "./text.ts"

/** The first link, under which LinkedIn shows a card with the title and picture that it gets. */
export const firstLink = (text: string): string | undefined =>
  findEntities(text).flatMap(({ feature }) => (feature._tag === "Link" ? [feature.uri] : []))[0]

const urn = (key: string) => (/^\d+$/.test(key) ? `urn:li:activity:${key}` : key.replaceAll(/%3a/gi, ":"))

export const linkedinRules: PlatformRules = {
  measure,
  moreEntities: { find: findTemplates, isSlow: false },
  cardLink: firstLink,
  media,
  postId: (_, key) => urn(key),
  isAccountId: (name) => name.startsWith("urn:li:"),
  canBeFound: ({ accountId }) => accountId.startsWith("urn:li:organization:")
}
