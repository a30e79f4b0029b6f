import { Effect } from "effect"
import { ClaimToken, IntegrationId, PostId, TargetId, WorkspaceId } from "../../src/domain/ids.ts"

/** Ids that a seed alone decides. */
export interface Ids {
  readonly post: () => PostId
  readonly target: () => TargetId
  readonly token: () => ClaimToken
  readonly integration: () => IntegrationId
  readonly workspace: () => WorkspaceId
}

export const makeIds: Effect.Effect<Ids> = Effect.sync(() => {
  let last = 0
  const next = (kind: string) => `01a1fc17-0000-7000-8${kind}-${(++last).toString(16).padStart(12, "0")}`
  return {
    post: () => PostId.make(next("001")),
    target: () => TargetId.make(next("002")),
    token: () => ClaimToken.make(next("003")),
    integration: () => IntegrationId.make(next("004")),
    workspace: () => WorkspaceId.make(next("005"))
  }
})

/** An id as the trace shows it. */
export const short = (id: string): string => id.slice(-12).replace(/^0+/, "#")
