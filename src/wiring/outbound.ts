import { Layer } from "effect"
import type { Configuration } from "../config.ts"
import { fetchesPath } from "../http/pages/fetchesPage.ts"
import { Outbound } from "../outbound/Outbound.ts"
import { UserAgent, userAgent } from "../outbound/userAgent.ts"

export const outboundLayer = (config: Configuration) =>
  Outbound.layer({ loopback: config.reachesLoopback }).pipe(
    Layer.provide(Layer.succeed(UserAgent, userAgent(`${config.baseUrl}${fetchesPath}`)))
  )
