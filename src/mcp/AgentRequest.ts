import { Context, type Option } from "effect"
import type { Headers } from "effect/http"
import type { KeyHolder } from "../domain/people/apiKey.ts"

/** The outcome of the last API request within a request. */
export interface Outcome {
  readonly status: number
  readonly headers: Headers.Headers
}

/** An agent's request. Its tools send their API requests in its name. */
export interface AgentRequest {
  readonly holder: KeyHolder
  /** The headers that API requests copy. */
  readonly headers: Readonly<Record<string, string>>
  readonly remoteAddress: Option.Option<string>
  /** Identifies the request to its log line. */
  readonly incoming: object
  /** The workspace's remaining requests in this minute; null if they could not be counted. */
  readonly remaining: number | null
  outcome: Outcome | undefined
}

/** The current request. Tools run only within one. */
export const CurrentAgentRequest = Context.Reference<AgentRequest>("social-publisher/mcp/CurrentAgentRequest", {
  defaultValue: () => {
    throw new Error("No request of an agent is being served")
  }
})
