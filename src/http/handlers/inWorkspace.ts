import { Effect } from "effect"
import { CurrentKey } from "../../api/Authorization.ts"
import type { WorkspaceId } from "../../domain/ids.ts"

/** Does something in the caller's workspace. */
export const inWorkspace = <A, E>(
  act: (workspaceId: WorkspaceId) => Effect.Effect<A, E>
): Effect.Effect<A, E, CurrentKey> => Effect.flatMap(CurrentKey, ({ workspaceId }) => act(workspaceId))
