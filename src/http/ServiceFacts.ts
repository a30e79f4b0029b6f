import { Context, Duration } from "effect"

export const rateLimitWindow = Duration.minutes(1)

export class ServiceFacts extends Context.Service<
  ServiceFacts,
  {
    readonly platforms: "sandbox" | "live"
    readonly rateLimitPerMinute: number
  }
>()("social-publisher/http/ServiceFacts") {}
