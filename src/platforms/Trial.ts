import type { Effect, Redacted } from "effect"
import type { Publication } from "../domain/publishing/platformError.ts"
import type { Account } from "./PlatformClient.ts"

/** The parts of a trial of a platform that its adapter lacks. */
export interface Trial {
  /** The people who may see the posts of a trial before they are deleted, in a sentence. */
  readonly seenBy: string
  /** The price of a trial in US dollars, such as $0.04; null if the platform charges nothing. */
  readonly price: string | null
  /** Deletes a post of the account. False if it may still be there. */
  readonly remove: (post: Publication, account: Account) => Effect.Effect<boolean>
  /** The scopes that the account's access lacks. */
  readonly missingScopes: (credentials: Redacted.Redacted) => Effect.Effect<ReadonlyArray<string>>
}
