import { Context, type Effect } from "effect"
import type { HttpServerRequest, HttpServerRespondable } from "effect/http"
import type { KeyHolder } from "../domain/people/apiKey.ts"

type Request = HttpServerRequest.HttpServerRequest
type Checked<A> = Effect.Effect<A, HttpServerRespondable.Respondable>

/** Lets in requests of programs that are no endpoints of the API, under the rules of those that are. */
export class KeyGate extends Context.Service<
  KeyGate,
  {
    /** Counts the request, and tells who holds its key. A session's cookie lets nobody in. */
    readonly admit: (request: Request) => Checked<KeyHolder>
    /** The request's body: declared as JSON, at most 1 MiB, and UTF-8. */
    readonly readText: (request: Request) => Checked<string>
  }
>()("social-publisher/http/KeyGate") {}
