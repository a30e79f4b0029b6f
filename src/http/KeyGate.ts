import { Context, type Effect } from "effect"
import type { HttpServerRequest, HttpServerRespondable } from "effect/http"
import type { KeyHolder } from "../domain/people/apiKey.ts"

type Request = HttpServerRequest.HttpServerRequest
type Checked<A> = Effect.Effect<A, HttpServerRespondable.Respondable>

/** Authenticates and rate-limits routes outside the API, such as `/mcp`, by the API's rules. */
export class KeyGate extends Context.Service<
  KeyGate,
  {
    /** Session cookies are not accepted. */
    readonly admit: (request: Request) => Checked<KeyHolder>
    /** Declared as JSON, at most 1 MiB, and UTF-8. */
    readonly readText: (request: Request) => Checked<string>
  }
>()("social-publisher/http/KeyGate") {}
