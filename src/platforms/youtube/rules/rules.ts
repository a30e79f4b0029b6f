import type { PlatformRules } from "../../../domain/posts/platformRules.ts"
import { entitiesWith } from "../../../domain/posts/text/entitiesWith.ts"
import { youtube as preview } from "../preview.ts"
import { media } from "./media.ts"
import { refusePost } from "./post.ts"
import { measure, refuseText } from "./text.ts"

export const youtubeRules: PlatformRules = {
  measure,
  refuseText,
  refusePost,
  entities: entitiesWith(preview.mention),
  media,
  postId: (_, key) => key,
  isAccountId: (name) => /^UC[\w-]{22}$/.test(name)
}
