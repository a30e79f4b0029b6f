import { type DateTime, type Duration, type Effect, type Option, Schema } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { ClaimToken, WorkspaceId } from "../../domain/ids.ts"
import type { Authority } from "../../domain/people/authority.ts"
import type { AuthorityError } from "../people/authority.ts"
import { Timestamp } from "../postgres/rows.ts"
import type { OutlookPosts } from "./outlookPosts.ts"

interface OutlookSettings {
  /** Null if the posts are not checked every day. */
  readonly hour: number | null
  /** True if people are told even if everything is fine. */
  readonly alwaysNotify: boolean
  readonly timeZone: string
  readonly nextAt: DateTime.Utc | null
}

/** A check that one process makes. */
export const OutlookClaim = Schema.Struct({
  workspaceId: WorkspaceId,
  token: ClaimToken,
  dueAt: Timestamp,
  alwaysNotify: Schema.Boolean,
  hour: Schema.Int
})
export type OutlookClaim = typeof OutlookClaim.Type

type Claimed = Pick<OutlookClaim, "token" | "workspaceId">

export interface Outlooks extends OutlookPosts {
  readonly settings: (workspaceId: WorkspaceId) => Effect.Effect<OutlookSettings, DatabaseUnavailable>
  /** Members that are absent stay as they are. */
  readonly updateSettings: (
    workspaceId: WorkspaceId,
    changes: { readonly hour?: number | null; readonly alwaysNotify?: boolean },
    by: Authority
  ) => Effect.Effect<OutlookSettings, AuthorityError | DatabaseUnavailable>
  /**
   * Computes the time of the next check of up to `limit` workspaces that are new, or whose queue has another zone.
   * Returns their number.
   */
  readonly plan: (limit: number) => Effect.Effect<number, DatabaseUnavailable>
  /** The check that has been due longest, for one process. None while publishing is held. */
  readonly claim: (lease: Duration.Duration) => Effect.Effect<Option.Option<OutlookClaim>, DatabaseUnavailable>
  /** Computes the time of the next check. False if the claim was lost. Joins a surrounding transaction. */
  readonly settle: (claim: Claimed, isChecked: boolean) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Makes the check due again, as if it had not been claimed. */
  readonly release: (claim: Claimed) => Effect.Effect<void, DatabaseUnavailable>
}
