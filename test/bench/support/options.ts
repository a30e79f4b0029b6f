export interface BenchOptions {
  /** The number of measurements of each contender. Contenders take turns. */
  readonly rounds: number
  /** The duration of each load. */
  readonly seconds: number
  /** Uses a tenth of the data, for a first look. */
  readonly quick: boolean
  /** The number of posts in the larger database of the part `size`. */
  readonly posts: number
  /** The directory of another version, with its packages, for the part `versions`. */
  readonly against: string | undefined
}

/** A table, with a title and the notes that a reader needs. */
export interface Section {
  readonly title: string
  readonly notes: string
  readonly rows: ReadonlyArray<Readonly<Record<string, string | number>>>
}
