import { HttpApiMiddleware } from "effect/http-api"
import type { CurrentCaller } from "./Authentication.ts"
import { RateLimited } from "./problems.ts"

/** Counts the requests of the caller's workspace, and says in the headers of every answer how many are left. */
export class RateLimit extends HttpApiMiddleware.Service<RateLimit, { requires: CurrentCaller }>()(
  "social-publisher/api/RateLimit",
  { error: RateLimited }
) {}
