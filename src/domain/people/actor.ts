import type { KeyHolder, Scope } from "./apiKey.ts"
import type { ApiKeyId, UserId, WorkspaceId } from "../ids.ts"
import { roleScopes } from "./role.ts"
import type { SessionHolder } from "./session.ts"

export type Author = { readonly type: "key"; readonly id: ApiKeyId } | { readonly type: "user"; readonly id: UserId }

export interface Actor {
  readonly author: Author
  /** The SHA-256 of the person's session, in hexadecimal. */
  readonly session?: string
  readonly workspaceId: WorkspaceId
  readonly scopes: ReadonlyArray<Scope>
  /** True if another author has to approve this actor's posts. */
  readonly requiresApproval: boolean
  /** True for an agent's tool, because only people decide about posts that wait for approval or might be published. */
  readonly decidesNothing?: boolean
  /** The older keys that the actor's key replaced by rotation. The actor's key owns their drafts. */
  readonly predecessors: ReadonlyArray<ApiKeyId>
}

export const keyActor = ({ keyId, ...holder }: KeyHolder): Actor => ({ ...holder, author: { type: "key", id: keyId } })

export const sessionActor = ({ role, session, userId, workspaceId }: SessionHolder): Actor => ({
  author: { type: "user", id: userId },
  session,
  workspaceId,
  scopes: roleScopes(role),
  requiresApproval: false,
  predecessors: []
})

/** The keys whose drafts and files the actor may change. Null if it may change all. */
export const ownKeys = ({ author, predecessors, requiresApproval }: Actor): ReadonlyArray<ApiKeyId> | null =>
  requiresApproval && author.type === "key" ? [author.id, ...predecessors] : null
