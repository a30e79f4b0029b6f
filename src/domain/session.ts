import { Duration, Schema } from "effect"
import { Role } from "./role.ts"
import { UserId, WorkspaceId } from "./ids.ts"

/** The limits of credentials, in UTF-16 code units. */
export const maxEmailLength = 320
export const maxPasswordLength = 1024

/** How long a session lasts after log-in. */
export const sessionLifetime = Duration.days(14)

/** A user in one of their workspaces. */
export const Member = Schema.Struct({ userId: UserId, workspaceId: WorkspaceId })
export type Member = typeof Member.Type

/** The caller that a session cookie identifies. */
export const SessionHolder = Schema.Struct({ ...Member.fields, role: Role })
export type SessionHolder = typeof SessionHolder.Type
