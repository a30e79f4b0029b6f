/** Where Bluesky is. */
export interface BlueskyConfig {
  /** The PDS of accounts that name none: https://bsky.social, or the sandbox's. */
  readonly defaultServiceUrl: string
  /** Where people see posts: https://bsky.app, or the sandbox's page. */
  readonly webUrl: string
}
