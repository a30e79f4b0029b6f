import { megabyte } from "../../../src/domain/media/mediaRules.ts"
import type { PlatformRules } from "../../../src/domain/posts/platformRules.ts"
import { mentionsLike } from "../../../src/domain/posts/text/mentionsLike.ts"
import { pond } from "./facts.ts"
import { pond as preview } from "./preview.ts"

const limit = 120

export const pondRules: PlatformRules = {
  measure: (text) => {
    const length = Array.from(text).length
    return { length, limit, valid: length <= limit }
  },
  refuseText: (text) => (/\btoads?\b/i.test(text) ? "takes no toads" : undefined),
  moreEntities: mentionsLike(preview.mention),
  media: {
    maxAlt: pond.maxAlt,
    altUnit: pond.altUnit,
    image: { contentTypes: ["image/png"], maxSize: pond.image.maxBytes },
    gif: "shows no GIFs; send an image",
    video: { contentTypes: [], maxSize: megabyte }
  },
  postId: (_, key) => key
}
