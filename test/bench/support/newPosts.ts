/** Posts to store: `count` posts for the accounts in turn, due every `spacing` milliseconds from `firstDue`. */
export interface NewPosts {
  readonly prefix: string
  readonly count: number
  readonly accounts: number
  /** In milliseconds since 1970. */
  readonly firstDue: number
  readonly spacing: number
}
