import { Effect } from "effect"
import { ClaimToken, IntegrationId, MediaId, PostId, ProcessId, TargetId, WorkspaceId } from "../../src/domain/ids.ts"

/** From a counter, so that a seed reproduces them. */
export interface Ids {
  readonly post: () => PostId
  readonly target: () => TargetId
  readonly file: () => MediaId
  /** Reserves a token and returns a function that makes it: most claims find nothing, and validating an id is slow. */
  readonly token: () => () => ClaimToken
  readonly integration: () => IntegrationId
  readonly workspace: () => WorkspaceId
  readonly process: () => ProcessId
}

export const makeIds: Effect.Effect<Ids> = Effect.sync(() => {
  let last = 0
  /** The number is also the UUIDv7's time, so each id has its own millisecond. */
  const format = (kind: string, number: number) => {
    const digits = number.toString(16).padStart(12, "0")
    return `01a1${digits.slice(4, 8)}-${digits.slice(8)}-7000-8${kind}-${digits}`
  }
  const next = (kind: string) => format(kind, ++last)
  return {
    post: () => PostId.make(next("001")),
    target: () => TargetId.make(next("002")),
    file: () => MediaId.make(next("007")),
    token: () => {
      const number = ++last
      return () => ClaimToken.make(format("003", number))
    },
    integration: () => IntegrationId.make(next("004")),
    workspace: () => WorkspaceId.make(next("005")),
    process: () => ProcessId.make(next("006"))
  }
})

/** For the trace. */
export const shortId = (id: string): string => `#${Number.parseInt(id.slice(-12), 16).toString(16)}`
