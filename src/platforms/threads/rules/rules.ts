import type { PlatformRules } from "../../../domain/posts/platformRules.ts"
import { findEntities } from "../../../domain/posts/text/entities.ts"
import { threads as facts } from "../facts.ts"
import { media } from "./media.ts"
import { measure, refuseText } from "./text.ts"

const mentions = (text: string) =>
  Array.from(text.matchAll(new RegExp(facts.preview.mention, "gu")), ({ 0: mention, index }) => ({
    start: index,
    end: index + mention.length
  }))

export const threadsRules: PlatformRules = {
  measure,
  refuseText,
  entities: { find: (text) => [...findEntities(text), ...mentions(text)], isSlow: false },
  media,
  postId: (_, key) => key
}
