import { Context, Duration } from "effect"

/** The window of a workspace's rate limit. */
export const rateLimitWindow = Duration.minutes(1)

/** The service's configuration, as shown to callers. */
export class ServiceFacts extends Context.Service<
  ServiceFacts,
  {
    /** The platforms that posts go to: real ones, or the sandbox. */
    readonly platforms: "sandbox" | "live"
    /** Per workspace. */
    readonly rateLimitPerMinute: number
  }
>()("social-publisher/http/ServiceFacts") {}
