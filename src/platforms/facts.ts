import { bluesky } from "./bluesky/facts.ts"
import { facebook } from "./facebook/facts.ts"
import { instagram } from "./instagram/facts.ts"
import { linkedin } from "./linkedin/facts.ts"
import { threads } from "./threads/facts.ts"
import { tiktok } from "./tiktok/facts.ts"
import { twitter } from "./twitter/facts.ts"
import { youtube } from "./youtube/facts.ts"

/** In display order. */
export const liveFacts = { twitter, bluesky, linkedin, instagram, tiktok, threads, facebook }

/** Keep their places among the platforms in review. */
const { facebook: ownFacebook, threads: ownThreads, tiktok: ownTiktok, ...others } = liveFacts

/** All platforms of the API. Those outside `liveFacts` are in platform review. */
export const facts = { ...others, youtube, tiktok: ownTiktok, threads: ownThreads, facebook: ownFacebook }
