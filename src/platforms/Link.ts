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

/** The accounts to which a consent gave access. If there are several, or a further consent, a person chooses. */
export interface AccountOffer<Account = ConnectedAccount> {
  readonly accounts: ReadonlyArray<Account>
  /** Another consent, of the platform's own name, which gives access to other accounts. */
  readonly further?: { readonly consent: string; readonly label: string } | undefined
}

interface CodeGrant {
  readonly code: string
  readonly verifier: Redacted.Redacted
  readonly redirectUri: string
  readonly consent?: string | undefined
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
    /** The `further` consent; absent for the first one. */
    readonly consent?: string | undefined
  }) => string
  /**
   * `redirectUri` and `consent` must equal those of `authorizeUrl`. Only a platform whose facts say `choosesAccount`
   * gives access to several accounts.
   */
  readonly finish: (grant: CodeGrant) => Effect.Effect<AccountOffer, PlatformError, LinkClients>
}

export type Link = FormLink | ConsentLink
