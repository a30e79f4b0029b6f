import type { PlatformRules } from "../../../domain/posts/platformRules.ts"
import { mentionsLike } from "../../../domain/posts/text/mentionsLike.ts"
import { tiktok as preview } from "../preview.ts"
import { media } from "./media.ts"
import { refusePost } from "./post.ts"
import { explainUnlinked, measure } from "./text.ts"

export const tiktokRules: PlatformRules = {
  measure,
  refusePost,
  explainUnlinked,
  moreEntities: mentionsLike(preview.mention),
  media,
  postId: (_, key) => key,
  canBeFound: () => false
}
