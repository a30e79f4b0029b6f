import type { DateTime, Effect, Option, Redacted } from "effect"
import type { LinkCard } from "../domain/posts/linkCard.ts"
import type { LivePlatform } from "../domain/platform.ts"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { PlatformError, Publication } from "../domain/publishing/platformError.ts"
import type { Call } from "./call.ts"
import type { Link } from "./Link.ts"
import type { Account, PlatformAdapter } from "./PlatformClient.ts"

/** The functions and facts that a trial needs in addition to the adapter. */
export interface Trial {
  /** A sentence about the people and programs that see the posts before deletion. */
  readonly seenBy: string
  /** In US dollars, such as $0.04; null if it is free. */
  readonly price: string | null
  /** Asks the platform without publishing anything, in place of a trial with posts. */
  readonly rehearse?: (account: Account) => Effect.Effect<void, PlatformError | DatabaseUnavailable>
  /** Deletes a post. False if it may still be there. */
  readonly remove: (post: Publication, account: Account) => Effect.Effect<boolean>
  readonly missingScopes: (credentials: Redacted.Redacted) => Effect.Effect<ReadonlyArray<string>>
  /** False if nobody can read the account's posts. Absent if posts can always be read. */
  readonly canRead?: (account: Pick<Account, "accountId">) => boolean
  /** Questions that only a real account can answer, and the part of the service that the answer would change. */
  readonly openQuestions?: ReadonlyArray<{ readonly question: string; readonly changes: string }>
}

export interface Connection {
  readonly webUrl: string
  /** Makes a link of the kind that the platform's facts name. */
  readonly makeLink: (where: "live" | "sandbox") => Link
  readonly makeAdapter: (calls: PlatformAdapter["calls"]) => Effect.Effect<PlatformAdapter>
  readonly makeTrial: (calls: PlatformAdapter["calls"]) => Trial
  /** A warning for the operator at the start, such as of a version that ends. */
  readonly warnAt?: (now: DateTime.Utc) => string | undefined
  /** Finds what a link leads to, if a post can quote it. Absent if posts quote nothing. */
  readonly makeFindQuoted?: (call: Call) => (url: string) => Effect.Effect<Option.Option<LinkCard>>
}

export type Connections = Readonly<Record<LivePlatform, Connection>>
