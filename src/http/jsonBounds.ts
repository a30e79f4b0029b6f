const maxDepth = 32
/** More values than any body needs. Each value may be an issue, so the work of checking grows with them. */
const maxValues = 10_000

/** Returns why a body is too large to check, or undefined. */
export const findExcess = (body: object): string | undefined => {
  let values = 0
  const isExcessive = (value: unknown, levels: number): boolean =>
    ++values > maxValues ||
    (typeof value === "object" &&
      value !== null &&
      (levels === 0 || Object.values(value).some((member) => isExcessive(member, levels - 1))))
  if (!isExcessive(body, maxDepth)) return undefined
  return values > maxValues
    ? `The body has more than ${maxValues} values`
    : `The body is nested deeper than ${maxDepth} levels`
}
