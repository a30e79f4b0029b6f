import { Layer, Option } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder, OpenApi } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { authentication } from "./middleware/authentication.ts"
import { authorization } from "./middleware/authorization.ts"
import { BaseUrl } from "./BaseUrl.ts"
import { checkedInput } from "./middleware/checkedInput.ts"
import { errorResponses } from "./router/errorResponses.ts"
import { health } from "./operations/health.ts"
import { integrations } from "./handlers/integrations.ts"
import { requestBody } from "./middleware/requestBody.ts"
import { metricsPage } from "./operations/metrics.ts"
import { type ListenOptions, nodeServer } from "./node/nodeServer.ts"
import { notifications } from "./handlers/notifications.ts"
import { requestSpans } from "./router/requestLog.ts"
import { postGroups } from "./handlers/postGroups.ts"
import { posts } from "./handlers/posts.ts"
import { requestGuard } from "./router/requestGuard.ts"
import { rateLimit } from "./middleware/rateLimit.ts"
import { reference } from "./operations/reference.ts"
import { RouteTable, routerConfig } from "./router/RouteTable.ts"
import { safeHeaders } from "./router/safeHeaders.ts"
import { sessions } from "./handlers/sessions.ts"
import { trustedProxy } from "./router/trustedProxy.ts"

export interface ServerOptions extends ListenOptions {
  /** The address that clients reach the service under, without a slash at its end. */
  readonly baseUrl: string
  /** How many requests a workspace may send in a minute. */
  readonly rateLimitPerMinute: number
  /** Whether the peer is a proxy that terminates TLS, and whose X-Forwarded headers tell who calls and how. */
  readonly trustProxy: "on" | "off"
}

const apiRoutes = ({ baseUrl, rateLimitPerMinute }: ServerOptions) => {
  const api = Api.annotate(OpenApi.Servers, [{ url: baseUrl }])
  return Layer.mergeAll(HttpApiBuilder.layer(api, { openapiPath: "/openapi.json" }), reference(api)).pipe(
    Layer.provide([posts, postGroups, integrations, notifications, sessions]),
    Layer.provide([authentication, rateLimit(rateLimitPerMinute), authorization, checkedInput, requestBody]),
    Layer.provide(Layer.succeed(BaseUrl, baseUrl))
  )
}

/** What every request goes through, from the outside in: each is added to the router before the next. */
const treatment = ({ baseUrl, tls, trustProxy }: ServerOptions) =>
  requestGuard.pipe(
    Layer.provide(errorResponses),
    Layer.provide(safeHeaders(Option.isSome(tls) || baseUrl.startsWith("https:"))),
    Layer.provide(trustProxy === "on" ? trustedProxy : Layer.empty)
  )

/**
 * Serves the API, its description at /openapi.json and /docs, /healthz, /readyz and /metrics, and whatever `others` adds
 * to the router; everything gets the same treatment of errors. Offers the `HttpServer`, which knows the port.
 */
export const server = <E = never, R = never>(options: ServerOptions, others: Layer.Layer<never, E, R>) =>
  HttpRouter.serve(
    Layer.mergeAll(apiRoutes(options), health, metricsPage, others).pipe(
      Layer.provide(treatment(options)),
      Layer.provide(RouteTable.router)
    ),
    { routerConfig, disableLogger: true, disableListenLog: true }
  ).pipe(Layer.provide(requestSpans), Layer.provide(RouteTable.layer), Layer.provideMerge(nodeServer(options)))
