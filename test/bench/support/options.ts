/** How much is measured. */
export interface BenchOptions {
  /** How often each contender is measured, in turn with the others. */
  readonly rounds: number
  /** How long each load lasts. */
  readonly seconds: number
  /** A tenth of the data, for a first look. */
  readonly quick: boolean
  /** The posts of the larger database in the part `size`. */
  readonly posts: number
}

/** A table, with a title and what has to be known to read it. */
export interface Section {
  readonly title: string
  readonly notes: string
  readonly rows: ReadonlyArray<Readonly<Record<string, string | number>>>
}
