import type { facts } from "./facts.ts"
import { instagram } from "./instagram/settings.ts"
import type { Settings } from "./Platform.ts"
import { threads } from "./threads/settings.ts"
import { tiktok } from "./tiktok/settings.ts"
import { twitter } from "./twitter/settings.ts"
import { youtube } from "./youtube/settings.ts"

/** Apart from the facts, because of all pages only the form for posts needs them. In the order of the facts. */
export const settings = {
  twitter,
  bluesky: {},
  linkedin: {},
  instagram,
  youtube,
  tiktok,
  threads,
  facebook: {}
} satisfies Readonly<Record<keyof typeof facts, Settings>>
