import { type ByteSize, Context, type Effect } from "effect"
import type { HttpServerRequest, HttpServerRespondable } from "effect/http"
import type { KeyHolder } from "../domain/people/apiKey.ts"

type Request = HttpServerRequest.HttpServerRequest
type Checked<A> = Effect.Effect<A, HttpServerRespondable.Respondable>

/** Authenticates and counts requests of routes outside the API, such as `/mcp`, by the API's rules. */
export class KeyGate extends Context.Service<
  KeyGate,
  {
    /** Counts the request, and returns the key's holder. Session cookies are refused. */
    readonly admit: (request: Request) => Checked<KeyHolder>
    /** Requires a body declared as JSON, in UTF-8, of at most `maxBytes`. */
    readonly readText: (request: Request, maxBytes: ByteSize.ByteSize) => Checked<string>
  }
>()("social-publisher/http/KeyGate") {}
