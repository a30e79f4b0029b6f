import { readFrom } from "./api.ts"
import type { Dialect } from "./dialect.ts"

export const containerStatuses = ["IN_PROGRESS", "FINISHED", "PUBLISHED", "ERROR", "EXPIRED"] as const

export interface ContainerState {
  readonly status: (typeof containerStatuses)[number]
  /** The platform's reason for a container's error. */
  readonly error: string | undefined
  /** The reason for a container's error that another container would have too. Undefined if another one may succeed. */
  readonly lastingError: string | undefined
}

export const containerRequest = (dialect: Dialect, container: string) =>
  readFrom(`/${container}`, { fields: dialect.stateFields })
