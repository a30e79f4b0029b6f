import type { PlatformRules } from "../platformRules.ts"
import { findEntities } from "./entities.ts"

/** Links, tags and mentions, which a split must not cut. */
export const entitiesWith = (mention: RegExp): PlatformRules["entities"] => ({
  find: (text) => [
    ...findEntities(text),
    ...Array.from(text.matchAll(new RegExp(mention, "gu")), ({ 0: found, index }) => ({
      start: index,
      end: index + found.length
    }))
  ],
  isSlow: false
})
