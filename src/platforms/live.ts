import type { LivePlatform } from "../domain/platform.ts"
import { bluesky } from "./bluesky/live.ts"
import { facebook } from "./facebook/live.ts"
import { instagram } from "./instagram/live.ts"
import { linkedin } from "./linkedin/live.ts"
import type { LiveParts } from "./LiveParts.ts"
import { threads } from "./threads/live.ts"
import { tiktok } from "./tiktok/live.ts"
import { twitter } from "./twitter/live.ts"
import { youtube } from "./youtube/live.ts"

export const live: Readonly<Record<LivePlatform, LiveParts>> = {
  twitter,
  bluesky,
  linkedin,
  instagram,
  youtube,
  tiktok,
  threads,
  facebook
}
