const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const sortedByKey = (value: object) =>
  Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))

/** Names a store's ids by order of appearance, so that the results of two stores can be compared. */
export interface Ordinals {
  readonly nameOf: (id: string) => string
  /** A value as JSON, with names instead of ids. */
  readonly named: (value: unknown) => unknown
}

export const makeOrdinals = (): Ordinals => {
  const names = new Map<string, string>()
  const nameOf = (id: string) => {
    const name = names.get(id) ?? `id ${String(names.size + 1).padStart(5, "0")}`
    names.set(id, name)
    return name
  }
  const named = (value: unknown): unknown => {
    const json = JSON.stringify(value, (_, member: unknown) => {
      if (typeof member === "string") return uuid.test(member) ? nameOf(member) : member
      return isObject(member) ? sortedByKey(member) : member
    })
    // JSON has no undefined.
    return json === undefined ? null : JSON.parse(json)
  }
  return { nameOf, named }
}
