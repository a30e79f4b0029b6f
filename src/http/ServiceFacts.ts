import { Context, Duration } from "effect"

/** The time in which a workspace's requests are counted. */
export const rateLimitWindow = Duration.minutes(1)

/** What callers are told about the service as it is configured. */
export class ServiceFacts extends Context.Service<
  ServiceFacts,
  {
    /** Whether posts go to the platforms, or to the sandbox that stands in for them. */
    readonly platforms: "sandbox" | "live"
    /** Requests of one workspace in `rateLimitWindow`. */
    readonly rateLimitPerMinute: number
  }
>()("social-publisher/http/ServiceFacts") {}
