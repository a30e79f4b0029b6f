import { type DateTime, type Duration, type Redacted, Schema } from "effect"
import { WaitingPosts } from "./accountChange.ts"
import { IntegrationId } from "../ids.ts"
import { describedInstant, Instant } from "../instant.ts"
import { LivePlatform } from "../platform.ts"
import * as sample from "../samples.ts"

export const integrationExample = {
  id: sample.integrationId,
  platform: sample.otherPlatform,
  account_id: "did:plc:ewvi7nxzyoun6zhxrhs64oiz",
  username: "acme.example",
  display_name: "Acme",
  avatar_url: "https://cdn.bsky.app/img/avatar/plain/did:plc:acme/avatar",
  status: "connected",
  created_at: "2030-01-02T08:15:30.250Z"
} as const

export const Integration = Schema.Struct({
  id: IntegrationId.annotateKey({ description: "Stays the same when the account is connected again." }),
  platform: LivePlatform,
  account_id: Schema.String.annotateKey({
    description:
      "The platform's own id of the account, X's user id or a DID, as in a target's `account_id`. It changes when a person replaces the account."
  }),
  username: Schema.String.annotateKey({ description: "The account's handle on the platform, without `@`." }),
  display_name: Schema.NullOr(Schema.String).annotateKey({
    description: "The account's display name; null without one."
  }),
  avatar_url: Schema.NullOr(Schema.String).annotateKey({
    description: "The URL of the account's picture; null without one."
  }),
  status: Schema.Literals(["connected", "needs_reconnect"]).annotateKey({
    description:
      "`needs_reconnect`: the platform rejected the stored credentials. Nothing is published until the account is connected again."
  }),
  created_at: describedInstant("When the account was first connected.")
})
  .annotate({
    identifier: "Integration",
    description: "An account that the workspace has connected on a platform; at most one per platform."
  })
  .pipe(Schema.annotateEncoded({ examples: [integrationExample] }))
export type Integration = typeof Integration.Type

export const integrationDetailsExample = {
  ...integrationExample,
  waiting: { drafts: 2, scheduled: 5, failed: 0 },
  last_published_at: "2030-01-30T09:00:04.120Z"
} as const

export const IntegrationDetails = Schema.Struct({
  ...Integration.fields,
  waiting: WaitingPosts.annotateKey({
    description:
      "The posts that wait for this account. A scheduled post fails if the account is disconnected at its time."
  }),
  last_published_at: Schema.NullOr(Instant).annotateKey({
    description: "When a post was last published on it; null if none was."
  })
})
  .annotate({ identifier: "IntegrationDetails", description: "A connected account with its posts." })
  .pipe(Schema.annotateEncoded({ examples: [integrationDetailsExample] }))
export type IntegrationDetails = typeof IntegrationDetails.Type

export interface ConnectedAccount {
  /** The platform's own id: a DID, or X's user id. */
  readonly accountId: string
  readonly username: string
  readonly displayName: string | null
  readonly avatarUrl: string | null
  /** The URL of a Bluesky account's server (PDS); null on platforms whose accounts share one address. */
  readonly serviceUrl: string | null
  /** The origin for the account's requests; absent or null for the platform's default. */
  readonly host?: string | null
  readonly credentials: Redacted.Redacted
  /** The end of the access, if the platform names it and can't renew the access. */
  readonly accessUntil?: DateTime.Utc | undefined
}

export interface AccountProfile {
  /** The handle without `@`; null if the platform does not say. */
  readonly username: string | null
  readonly displayName: string | null
  readonly avatarUrl: string | null
}

export interface RenewedAccess {
  /** Must be stored before use, because the earlier credentials may no longer work. */
  readonly credentials: Redacted.Redacted
  /** The current handle without `@`, if the platform says. */
  readonly username?: string
  /** The new origin for the account's requests; null for the platform's default, absent if unknown. */
  readonly host?: string | null
  /** The lifetime from now, if the platform reports it. */
  readonly lifetime?: Duration.Duration
}
