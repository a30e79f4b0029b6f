import { Duration, Schema } from "effect"
import { UserId, WorkspaceId } from "./ids.ts"

/** How long a session lasts after log-in. */
export const sessionLifetime = Duration.days(14)

/** The caller that a session cookie identifies: a user in one of their workspaces. */
export const SessionHolder = Schema.Struct({ userId: UserId, workspaceId: WorkspaceId })
export type SessionHolder = typeof SessionHolder.Type
