import { Context, type Option } from "effect"
import type { Headers } from "effect/http"
import type { KeyHolder } from "../domain/people/apiKey.ts"

/** What the last request to the API within a request came to. */
export interface Outcome {
  readonly status: number
  readonly headers: Headers.Headers
}

/** A request to the server of agents, whose tools send their requests to the API in its name. */
export interface AgentRequest {
  readonly holder: KeyHolder
  /** The headers that requests to the API take over. */
  readonly headers: Readonly<Record<string, string>>
  readonly remoteAddress: Option.Option<string>
  /** Identifies the request to its log line. */
  readonly incoming: object
  /** Requests that the workspace has left in this minute; null if they could not be counted. */
  readonly remaining: number | null
  outcome: Outcome | undefined
}

/** The current request. Tools run in one only. */
export const CurrentAgentRequest = Context.Reference<AgentRequest>("social-publisher/mcp/CurrentAgentRequest", {
  defaultValue: () => {
    throw new Error("No request of an agent is being served")
  }
})
