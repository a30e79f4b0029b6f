import { Context, type Option } from "effect"
import type { Headers } from "effect/http"
import type { KeyHolder } from "../domain/people/apiKey.ts"

/** The response to the last API request. */
export interface Outcome {
  readonly status: number
  readonly headers: Headers.Headers
}

/** An agent's HTTP request. Its tools send their API requests on its behalf. */
export interface AgentRequest {
  readonly holder: KeyHolder
  /** Headers that API requests copy. */
  readonly headers: Readonly<Record<string, string>>
  readonly remoteAddress: Option.Option<string>
  /** Identifies the log line of the request. */
  readonly incoming: object
  /** The workspace's remaining requests in this minute; null if they could not be counted. */
  readonly remaining: number | null
  outcome: Outcome | undefined
}

export const CurrentAgentRequest = Context.Reference<AgentRequest>("social-publisher/mcp/CurrentAgentRequest", {
  defaultValue: () => {
    throw new Error("No request of an agent is being served")
  }
})
