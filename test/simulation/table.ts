import type { Change } from "./rows.ts"

/** A table as one transaction sees it: committed rows, with the transaction's changes. */
export interface TableView<Id, Row> {
  readonly get: (id: Id) => Row | undefined
  readonly put: (id: Id, row: Row) => void
  readonly remove: (id: Id) => void
  readonly all: () => ReadonlyArray<Row>
  /** Returns the changes. */
  readonly commit: () => ReadonlyArray<Change<Row>>
}

/** By primary key. */
export interface Table<Id, Row> {
  readonly committed: ReadonlyMap<Id, Row>
  readonly view: () => TableView<Id, Row>
}

export const makeTable = <Id, Row>(): Table<Id, Row> => {
  const committed = new Map<Id, Row>()
  const view = (): TableView<Id, Row> => {
    // The first change allocates this, because most transactions make none.
    let changed: Map<Id, Row | undefined> | undefined
    return {
      get: (id) => (changed?.has(id) === true ? changed.get(id) : committed.get(id)),
      put: (id, row) => void (changed ??= new Map()).set(id, row),
      remove: (id) => void (changed ??= new Map()).set(id, undefined),
      all: () => {
        if (changed === undefined) return [...committed.values()]
        const merged = new Map<Id, Row | undefined>([...committed, ...changed])
        return [...merged.values()].filter((row) => row !== undefined)
      },
      commit: () => {
        if (changed === undefined) return []
        return [...changed].map(([id, after]) => {
          const before = committed.get(id)
          if (after === undefined) committed.delete(id)
          else committed.set(id, after)
          return { before, after }
        })
      }
    }
  }
  return { committed, view }
}
