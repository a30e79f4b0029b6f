/** If more tabs are open, they share the first name. */
const maxNames = 100

/** Each open tab has a draft of its own: `base`, `base:2` and so on. */
export const tabNames = (base: string): ReadonlyArray<string> =>
  Array.from({ length: maxNames }, (_, index) => (index === 0 ? base : `${base}:${index + 1}`))
