import type { KeyHolder, Scope } from "./apiKey.ts"
import type { ApiKeyId, UserId, WorkspaceId } from "../ids.ts"
import { roleScopes } from "./role.ts"
import type { SessionHolder } from "./session.ts"

/** Who makes or decides something: a program by its API key, or a person. */
export type Author = { readonly type: "key"; readonly id: ApiKeyId } | { readonly type: "user"; readonly id: UserId }

/** Whoever acts in a workspace, and what they may do there. */
export interface Actor {
  readonly author: Author
  /** The SHA-256 of the session that a person acts in, in hexadecimal. */
  readonly session?: string
  readonly workspaceId: WorkspaceId
  readonly scopes: ReadonlyArray<Scope>
  /** Whether what they want to schedule or publish has to be approved by somebody else. */
  readonly requiresApproval: boolean
  /** Whether what waits for approval or may be out already is left to people, whatever the scopes: a tool of an agent acts. */
  readonly decidesNothing?: boolean
  /** The keys that a key replaces by rotation: their drafts are its own. */
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

/** The keys whose drafts and files an actor alone may change: it and those that it replaces. Null where it may change all. */
export const ownKeys = ({ author, predecessors, requiresApproval }: Actor): ReadonlyArray<ApiKeyId> | null =>
  requiresApproval && author.type === "key" ? [author.id, ...predecessors] : null
