import { isBlank } from "../../../domain/plain/blankText.ts"
import type { PlatformRules } from "../../../domain/posts/platformRules.ts"
import { mentionsLike } from "../../../domain/posts/text/mentionsLike.ts"
import { threads as preview } from "../preview.ts"
import { media } from "./media.ts"
import { measure, refuseText } from "./text.ts"

export const threadsRules: PlatformRules = {
  measure,
  refuseText,
  moreEntities: mentionsLike(preview.mention),
  media,
  postId: (_, key) => key,
  canBeFound: ({ text }) => !isBlank(text)
}
