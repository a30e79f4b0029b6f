import { Predicate } from "effect"

/**
 * A JSON value with the members of its objects sorted by name, at every depth. Order has no meaning, and a client may
 * change it when it repeats a call.
 */
export const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)])
  )
}
