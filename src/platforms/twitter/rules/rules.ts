import twitterText from "twitter-text"
import type { PlatformRules } from "../../../domain/posts/platformRules.ts"
import { estimateCost } from "./cost.ts"
import { media } from "./media.ts"
import { refuseNamed } from "./namedPost.ts"
import { comparedText, findRepeatedTexts } from "./repeatedTexts.ts"
import type { TwitterAccess } from "../facts.ts"
import { measure, refuseText } from "./text.ts"

export const twitterRules = (access: TwitterAccess): PlatformRules => ({
  measure,
  refuseText: refuseText(access),
  comparedText,
  refuseThread: findRepeatedTexts,
  moreEntities: {
    find: (text) => twitterText.extractEntitiesWithIndices(text).map(({ indices: [start, end] }) => ({ start, end })),
    isSlow: true
  },
  media,
  estimateCost,
  postId: (_, key) => key,
  refuseNamed
})
