import { Predicate } from "effect"

/** Sorts members by name, at every depth: a client may change their order when it repeats a call. */
export const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)])
  )
}
