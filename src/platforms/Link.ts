import type { Effect, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import type { AccountProfile, ConnectedAccount } from "../domain/accounts/integration.ts"
import type { LinkRefused, PlatformError } from "../domain/publishing/platformError.ts"
import type { GuardedHttpClient } from "../outbound/GuardedHttpClient.ts"

/** The clients of a link: one for the operator's addresses, one for addresses that others chose. */
export type LinkClients = HttpClient.HttpClient | GuardedHttpClient

/** An account's stored access to its platform. */
export interface StoredAccess {
  readonly serviceUrl: string | null
  readonly credentials: Redacted.Redacted
}

interface AccountLink {
  /** Fetches a connected account's profile, with credentials that have not expired. */
  readonly profile: (
    account: StoredAccess & { readonly accountId: string }
  ) => Effect.Effect<AccountProfile, PlatformError, LinkClients>
  /** Ends access at the platform. */
  readonly revoke: (access: StoredAccess) => Effect.Effect<void, PlatformError, LinkClients>
}

/** The values that a person entered in a platform's form, by the names of its fields. */
export type FormValues = Readonly<Record<string, string | Redacted.Redacted | null | undefined>>

/** Links accounts by a form, such as a name and a password. */
export interface FormLink extends AccountLink {
  readonly kind: "form"
  /** Logs in, and keeps no secret of the form. If the values are `guarded`, an address among them has to be public. */
  readonly logIn: (
    values: FormValues,
    options: { readonly guarded: boolean }
  ) => Effect.Effect<ConnectedAccount, PlatformError | LinkRefused, LinkClients>
}

/** Links accounts by a page of the platform where a person consents: OAuth 2.0. */
export interface ConsentLink extends AccountLink {
  readonly kind: "consent"
  /** False until the operator has set the application that people give access to. */
  readonly hasApplication: boolean
  /** The URL of the page. The platform sends the person back to `redirectUri` with the `state`. */
  readonly authorizeUrl: (request: {
    readonly redirectUri: string
    readonly state: string
    readonly challenge: string
  }) => string
  /** Exchanges the code that the platform sent the person back with. `redirectUri` is that of `authorizeUrl`. */
  readonly finish: (grant: {
    readonly code: string
    readonly verifier: Redacted.Redacted
    readonly redirectUri: string
  }) => Effect.Effect<ConnectedAccount, PlatformError, LinkClients>
}

/** Connects the accounts of a platform, looks up their profiles and ends their access. */
export type Link = FormLink | ConsentLink
