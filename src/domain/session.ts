import { Duration, Schema } from "effect"
import { UserId, WorkspaceId } from "./ids.ts"

/** The limits of credentials, in UTF-16 code units. */
export const maxEmailLength = 320
export const maxPasswordLength = 1024

/** How long a session lasts after log-in. */
export const sessionLifetime = Duration.days(14)

/** The caller that a session cookie identifies: a user in one of their workspaces. */
export const SessionHolder = Schema.Struct({ userId: UserId, workspaceId: WorkspaceId })
export type SessionHolder = typeof SessionHolder.Type
