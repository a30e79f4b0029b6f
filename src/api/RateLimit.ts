import { HttpApiMiddleware } from "effect/http-api"
import type { CurrentCaller } from "./Authentication.ts"
import { RateLimited } from "./problems.ts"

/** A separate limit, because one page of a library loads many files. */
export class MediaRateLimit extends HttpApiMiddleware.Service<MediaRateLimit, { requires: CurrentCaller }>()(
  "social-publisher/api/MediaRateLimit",
  { error: RateLimited }
) {}

/** Reports the workspace's remaining requests in the headers of every response. */
export class RateLimit extends HttpApiMiddleware.Service<RateLimit, { requires: CurrentCaller }>()(
  "social-publisher/api/RateLimit",
  { error: RateLimited }
) {}
