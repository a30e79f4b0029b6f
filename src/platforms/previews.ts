import type { liveFacts } from "./facts.ts"
import { bluesky } from "./bluesky/preview.ts"
import { facebook } from "./facebook/preview.ts"
import { instagram } from "./instagram/preview.ts"
import { linkedin } from "./linkedin/preview.ts"
import type { Preview } from "./Platform.ts"
import { threads } from "./threads/preview.ts"
import { tiktok } from "./tiktok/preview.ts"
import { twitter } from "./twitter/preview.ts"
import { youtube } from "./youtube/preview.ts"

/** Apart from the facts, because only pages with previews of posts need them. */
export const previews: Readonly<Record<keyof typeof liveFacts, Preview>> = {
  twitter,
  bluesky,
  linkedin,
  instagram,
  youtube,
  tiktok,
  threads,
  facebook
}
