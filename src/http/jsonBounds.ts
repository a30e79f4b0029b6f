const maxDepth = 32
/** Twice as many as the largest post has. The work of checking grows with it, because each value may be an issue. */
export const maxValues = 2_000

/** The reason why a body is too large to check, or undefined. */
export const findExcess = (body: object, most = maxValues): string | undefined => {
  let values = 0
  const isExcessive = (value: unknown, levels: number): boolean =>
    ++values > most ||
    (typeof value === "object" &&
      value !== null &&
      (levels === 0 || Object.values(value).some((member) => isExcessive(member, levels - 1))))
  if (!isExcessive(body, maxDepth)) return undefined
  return values > most ? `The body has more than ${most} values` : `The body is nested deeper than ${maxDepth} levels`
}
