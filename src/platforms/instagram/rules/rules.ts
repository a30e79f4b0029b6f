import { isBlank } from "../../../domain/plain/blankText.ts"
import type { PlatformRules } from "../../../domain/posts/platformRules.ts"
import { mentionsLike } from "../../../domain/posts/text/mentionsLike.ts"
import { instagram as preview } from "../preview.ts"
import { media } from "./media.ts"
import { refusePost } from "./post.ts"
import { explainUnlinked, measure, refuseText } from "./text.ts"

export const instagramRules: PlatformRules = {
  measure,
  refuseText,
  refusePost,
  explainUnlinked,
  moreEntities: mentionsLike(preview.mention),
  media,
  postId: (_, key) => key,
  canBeFound: ({ settings, text }) => preview.showsText(settings.instagram ?? {}) && !isBlank(text)
}
