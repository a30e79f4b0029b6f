import type { PlatformRules } from "../platformRules.ts"

/** A platform's own mentions, which a split must not cut. */
export const mentionsLike = (mention: RegExp): NonNullable<PlatformRules["moreEntities"]> => ({
  find: (text) =>
    Array.from(text.matchAll(new RegExp(mention, "gu")), ({ 0: found, index }) => ({
      start: index,
      end: index + found.length
    })),
  isSlow: false
})
