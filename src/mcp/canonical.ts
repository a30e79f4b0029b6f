import { Predicate } from "effect"

/**
 * A JSON value with the members of its objects by name, at every depth: their order says nothing, and a client that sends a call
 * again may write them in another one.
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
