import type { PlatformRules } from "../../../domain/posts/platformRules.ts"
import { mentionsLike } from "../../../domain/posts/text/mentionsLike.ts"
import { youtube as preview } from "../preview.ts"
import { media } from "./media.ts"
import { refusePost } from "./post.ts"
import { measure, refuseText } from "./text.ts"

export const youtubeRules: PlatformRules = {
  measure,
  refuseText,
  refusePost,
  moreEntities: mentionsLike(preview.mention),
  media,
  postId: (_, key) => key,
  isAccountId: (name) => /^UC[\w-]{22}$/.test(name)
}
