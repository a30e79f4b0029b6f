import type { PlatformRules } from "../../../domain/posts/platformRules.ts"
import { entitiesWith } from "../../../domain/posts/text/entitiesWith.ts"
import { tiktok as preview } from "../preview.ts"
import { media } from "./media.ts"
import { refusePost } from "./post.ts"
import { explainUnlinked, measure } from "./text.ts"

export const tiktokRules: PlatformRules = {
  measure,
  refusePost,
  explainUnlinked,
  entities: entitiesWith(preview.mention),
  media,
  postId: (_, key) => key,
  canBeFound: () => false
}
