import type { WorkspaceId } from "../ids.ts"
import type { Actor, Author } from "./actor.ts"
import type { Scope } from "./apiKey.ts"
import { Role, roleScopes } from "./role.ts"
import type { Member } from "./session.ts"

/** The right to make a change. It must still hold when the change is stored, because a request can take a while. */
export interface Authority {
  readonly author: Author
  /** Absent if the session does not matter. */
  readonly session?: string
  readonly workspaceId: WorkspaceId
  /** A person needs one of these roles. */
  readonly roles: ReadonlyArray<Role>
}

export type ActingMember = Member & Pick<Authority, "session">

export const adminAuthority = ({ session, userId, workspaceId }: ActingMember): Authority => ({
  author: { type: "user", id: userId },
  ...(session !== undefined && { session }),
  workspaceId,
  roles: ["admin"]
})

export const scopeAuthority = (
  { author, session, workspaceId }: Pick<Actor, "author" | "session" | "workspaceId">,
  scope: Scope
): Authority => ({
  author,
  ...(session !== undefined && { session }),
  workspaceId,
  roles: Role.literals.filter((role) => roleScopes(role).includes(scope))
})
