import type { WorkspaceId } from "../ids.ts"
import type { Actor, Author } from "./actor.ts"
import type { Scope } from "./apiKey.ts"
import { Role, roleScopes } from "./role.ts"
import type { Member } from "./session.ts"

/** Whose right something is done by. It has to hold when the change is stored: a request may take a while until then. */
export interface Authority {
  readonly author: Author
  /** The SHA-256 of the session that a person acts in, in hexadecimal; absent where that does not matter. */
  readonly session?: string
  readonly workspaceId: WorkspaceId
  /** The roles of which a person needs one. */
  readonly roles: ReadonlyArray<Role>
}

/** A member, in a session where that matters. */
export type ActingMember = Member & Pick<Authority, "session">

/** The right to what an admin alone may do. */
export const adminAuthority = ({ session, userId, workspaceId }: ActingMember): Authority => ({
  author: { type: "user", id: userId },
  ...(session !== undefined && { session }),
  workspaceId,
  roles: ["admin"]
})

/** The right to what a scope covers. */
export const scopeAuthority = (
  { author, session, workspaceId }: Pick<Actor, "author" | "session" | "workspaceId">,
  scope: Scope
): Authority => ({
  author,
  ...(session !== undefined && { session }),
  workspaceId,
  roles: Role.literals.filter((role) => roleScopes(role).includes(scope))
})
