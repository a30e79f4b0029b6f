import { Context, type Option } from "effect"
import type { Headers } from "effect/http"
import type { KeyHolder } from "../domain/people/apiKey.ts"

/** The response to the last API request. */
export interface Outcome {
  readonly status: number
  readonly headers: Headers.Headers
}

/** A request to `/mcp`, on whose behalf tools send API requests. */
export interface AgentRequest {
  readonly holder: KeyHolder
  /** Headers that the API requests repeat. */
  readonly headers: Readonly<Record<string, string>>
  readonly remoteAddress: Option.Option<string>
  /** Identifies the request's log line. */
  readonly incoming: object
  /** The requests that the workspace has left in this minute; null if they could not be counted. */
  readonly remaining: number | null
  outcome: Outcome | undefined
}

export const CurrentAgentRequest = Context.Reference<AgentRequest>("social-publisher/mcp/CurrentAgentRequest", {
  defaultValue: () => {
    throw new Error("No request of an agent is being served")
  }
})
