import { bluesky } from "./bluesky/facts.ts"
import { facebook } from "./facebook/facts.ts"
import { instagram } from "./instagram/facts.ts"
import { linkedin } from "./linkedin/facts.ts"
import { threads } from "./threads/facts.ts"
import { tiktok } from "./tiktok/facts.ts"
import { twitter } from "./twitter/facts.ts"
import { youtube } from "./youtube/facts.ts"

/** In display order. */
export const liveFacts = { twitter, bluesky, linkedin, instagram, youtube, tiktok, threads, facebook }

/** All platforms of the API. Those outside `liveFacts` are in platform review. */
export const facts = { ...liveFacts }
