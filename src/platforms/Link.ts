import type { Effect, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import type { AccountProfile, ConnectedAccount } from "../domain/accounts/integration.ts"
import type { LinkRefused, PlatformError } from "../domain/publishing/platformError.ts"
import type { GuardedHttpClient } from "../outbound/GuardedHttpClient.ts"

export type LinkClients = HttpClient.HttpClient | GuardedHttpClient

export interface StoredAccess {
  readonly serviceUrl: string | null
  readonly credentials: Redacted.Redacted
}

interface AccountLink {
  /** Needs credentials that have not expired. */
  readonly profile: (
    account: StoredAccess & { readonly accountId: string }
  ) => Effect.Effect<AccountProfile, PlatformError, LinkClients>
  readonly revoke: (access: StoredAccess) => Effect.Effect<void, PlatformError, LinkClients>
}

export type FormValues = Readonly<Record<string, string | Redacted.Redacted | null | undefined>>

export interface FormLink extends AccountLink {
  readonly kind: "form"
  /** Keeps no secret of the form. If `guarded`, an address in the values must be public. */
  readonly logIn: (
    values: FormValues,
    options: { readonly guarded: boolean }
  ) => Effect.Effect<ConnectedAccount, PlatformError | LinkRefused, LinkClients>
}

/** Accounts are connected on the platform's consent page: OAuth 2.0. */
export interface ConsentLink extends AccountLink {
  readonly kind: "consent"
  /** False until the operator has configured an OAuth application. */
  readonly hasApplication: boolean
  /** The person comes back to `redirectUri` with the `state`. */
  readonly authorizeUrl: (request: {
    readonly redirectUri: string
    readonly state: string
    readonly challenge: string
  }) => string
  /** `redirectUri` must equal that of `authorizeUrl`. */
  readonly finish: (grant: {
    readonly code: string
    readonly verifier: Redacted.Redacted
    readonly redirectUri: string
  }) => Effect.Effect<ConnectedAccount, PlatformError, LinkClients>
}

export type Link = FormLink | ConsentLink
