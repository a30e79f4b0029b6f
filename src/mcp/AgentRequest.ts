import { Context, type Option } from "effect"
import type { Headers } from "effect/http"
import type { KeyHolder } from "../domain/people/apiKey.ts"

/** The last API request's response. */
export interface Outcome {
  readonly status: number
  readonly headers: Headers.Headers
}

/** The tools of a request send their API requests in its name. */
export interface AgentRequest {
  readonly holder: KeyHolder
  /** Headers that API requests copy. */
  readonly headers: Readonly<Record<string, string>>
  readonly remoteAddress: Option.Option<string>
  /** Identifies the request to its log line. */
  readonly incoming: object
  /** For the workspace in this minute; null if they could not be counted. */
  readonly remaining: number | null
  outcome: Outcome | undefined
}

/** Tools run only within a request. */
export const CurrentAgentRequest = Context.Reference<AgentRequest>("social-publisher/mcp/CurrentAgentRequest", {
  defaultValue: () => {
    throw new Error("No request of an agent is being served")
  }
})
