import { Effect } from "effect"
import { CurrentKey } from "../../api/Authorization.ts"
import type { WorkspaceId } from "../../domain/ids.ts"

/** Runs an operation in the workspace of the caller's key. */
export const inWorkspace = <A, E>(
  operation: (workspaceId: WorkspaceId) => Effect.Effect<A, E>
): Effect.Effect<A, E, CurrentKey> => Effect.flatMap(CurrentKey, ({ workspaceId }) => operation(workspaceId))

/** Wraps a result in the `data` member of the response. */
export const asData = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<{ readonly data: A }, E, R> =>
  Effect.map(effect, (data) => ({ data }))
