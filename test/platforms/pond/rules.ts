import { megabyte } from "../../../src/domain/media/mediaRules.ts"
import type { PlatformRules } from "../../../src/domain/posts/platformRules.ts"
import { findEntities } from "../../../src/domain/posts/text/entities.ts"
import { pond } from "./facts.ts"
import { pond as preview } from "./preview.ts"

const limit = 120

const frogs = (text: string) =>
  Array.from(text.matchAll(new RegExp(preview.mention, "gu")), ({ 0: frog, index }) => ({
    start: index,
    end: index + frog.length
  }))

export const pondRules: PlatformRules = {
  measure: (text) => {
    const length = Array.from(text).length
    return { length, limit, valid: length <= limit }
  },
  refuseText: (text) => (/\btoads?\b/i.test(text) ? "takes no toads" : undefined),
  entities: { find: (text) => [...findEntities(text), ...frogs(text)], isSlow: false },
  media: {
    maxAlt: pond.maxAlt,
    altUnit: pond.altUnit,
    image: { contentTypes: ["image/png"], maxSize: pond.image.maxBytes },
    gif: "shows no GIFs; send an image",
    video: { contentTypes: [], maxSize: megabyte }
  },
  postId: (_, key) => key
}
