/** What the reference says of a schema. */
export interface Entry {
  readonly description: string
  /** What each member means; a member of a member is named with a dot, and one of a list's items like one of the list. */
  readonly members?: Readonly<Record<string, string>>
  /** Values as they are on the wire, each under a word for what it shows. */
  readonly examples: Readonly<Record<string, unknown>>
}

/** What the reference says of each schema, by its name. */
export type Dictionary = Readonly<Record<string, Entry>>
