import type { Effect, Redacted } from "effect"
import type { Publication } from "../domain/publishing/platformError.ts"
import type { Account } from "./PlatformClient.ts"

/** A trial needs this in addition to the adapter. */
export interface Trial {
  /** A sentence about the posts before they are deleted. */
  readonly seenBy: string
  /** In US dollars, such as $0.04; null if it is free. */
  readonly price: string | null
  /** Deletes a post. False if it may still be there. */
  readonly remove: (post: Publication, account: Account) => Effect.Effect<boolean>
  readonly missingScopes: (credentials: Redacted.Redacted) => Effect.Effect<ReadonlyArray<string>>
}
