import type { PlatformRules } from "../../../domain/posts/platformRules.ts"
import { findEntities } from "../../../domain/posts/text/entities.ts"
import { media } from "./media.ts"
import { targetIdsOfKey } from "./recordKeyTime.ts"
import { postText } from "./richText.ts"
import { measure } from "./text.ts"

const firstLink = (text: string): string | undefined =>
  findEntities(postText(text)).flatMap(({ feature }) => (feature._tag === "Link" ? [feature.uri] : []))[0]

export const blueskyRules: PlatformRules = {
  measure,
  entities: { find: findEntities, isSlow: false },
  cardLink: firstLink,
  media,
  postId: (accountId, key) => `at://${accountId}/app.bsky.feed.post/${key}`,
  isAccountId: (name) => name.startsWith("did:"),
  targetIds: targetIdsOfKey
}
