import { ByteSize, type Duration, Layer, Option } from "effect"
import { HttpIncomingMessage, HttpRouter } from "effect/http"
import { HttpApiBuilder, OpenApi } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { BaseUrl } from "./BaseUrl.ts"
import { Draining, drainLayer } from "./Draining.ts"
import { ListBudget } from "./handlers/ListBudget.ts"
import { approvalsLayer } from "./handlers/approvals.ts"
import { channelsLayer } from "./handlers/channels.ts"
import { eventsLayer } from "./handlers/events.ts"
import { integrationsLayer } from "./handlers/integrations.ts"
import { invitesLayer } from "./handlers/invites.ts"
import { membersLayer } from "./handlers/members.ts"
import { keysLayer } from "./handlers/keys.ts"
import { meLayer } from "./handlers/me.ts"
import { platformsLayer } from "./handlers/platforms.ts"
import { mediaLayer } from "./handlers/media.ts"
import { mediaContentLayer } from "./handlers/mediaContent.ts"
import { notificationsLayer } from "./handlers/notifications.ts"
import { PasswordAttempts } from "./handlers/PasswordAttempts.ts"
import { postGroupsLayer } from "./handlers/postGroups.ts"
import { postsLayer } from "./handlers/posts.ts"
import { queueLayer } from "./handlers/queue.ts"
import { mailLogLayer } from "./handlers/mail.ts"
import { outlookLayer } from "./handlers/outlook.ts"
import { passwordResetsLayer } from "./handlers/passwordResets.ts"
import { profileLayer } from "./handlers/profile.ts"
import { sessionsLayer } from "./handlers/sessions.ts"
import { webhooksLayer } from "./handlers/webhooks.ts"
import { authenticationLayer, findCallerLayer } from "./middleware/authentication.ts"
import { authorizationLayer } from "./middleware/authorization.ts"
import { keyGateLayer } from "./middleware/keyGate.ts"
import { rateLimitLayer } from "./middleware/rateLimit.ts"
import { requestBodyLayer } from "./middleware/requestBody.ts"
import { unknownCallersLayer } from "./middleware/unknownCallers.ts"
import { type ListenOptions, nodeServerLayer } from "./node/nodeServer.ts"
import { fastReadsLayer } from "./fastReads/fastReads.ts"
import { healthLayer } from "./operations/health.ts"
import { metricsLayer } from "./operations/metrics.ts"
import { agentPagesLayer } from "./pages/agentPages.ts"
import { fetchesPageLayer } from "./pages/fetchesPage.ts"
import { mailOffLayer } from "./pages/mailOff.ts"
import { documentLayer, referenceLayer } from "./pages/reference.ts"
import { timeZoneRulesLayer } from "./pages/timeZoneRules.ts"
import { responsesLayer } from "./router/responses.ts"
import { requestGuardLayer } from "./router/requestGuard.ts"
import { requestSpansLayer } from "./router/requestLog.ts"
import { routerConfig, RouteTable } from "./router/RouteTable.ts"
import { MeasureTexts } from "../posting/MeasureTexts.ts"
import { Posting } from "../posting/Posting.ts"
import { trustedProxyLayer } from "./router/trustedProxy.ts"
import { ServiceFacts } from "./ServiceFacts.ts"

export interface ServerOptions extends ListenOptions {
  readonly baseUrl: string
  /** The requests of one workspace per minute, over all processes. */
  readonly rateLimitPerMinute: number
  readonly platforms: "sandbox" | "live"
  /** On if connections come from a proxy that handles TLS and sets the X-Forwarded headers. */
  readonly trustProxy: "on" | "off"
  readonly drainTime?: Duration.Input
}

const apiLayer = ({ baseUrl, platforms, rateLimitPerMinute }: ServerOptions) => {
  const api = Api.annotate(OpenApi.Servers, [{ url: baseUrl }])
  return Layer.mergeAll(
    HttpApiBuilder.layer(api),
    documentLayer(api),
    referenceLayer(api),
    agentPagesLayer(api, { baseUrl, platforms }),
    fetchesPageLayer,
    mailOffLayer,
    timeZoneRulesLayer
  ).pipe(
    Layer.provide([
      postsLayer,
      postGroupsLayer,
      approvalsLayer,
      queueLayer,
      outlookLayer,
      mediaLayer,
      mediaContentLayer,
      integrationsLayer,
      platformsLayer,
      notificationsLayer,
      eventsLayer,
      webhooksLayer,
      channelsLayer,
      sessionsLayer,
      profileLayer,
      mailLogLayer,
      passwordResetsLayer,
      meLayer,
      keysLayer,
      membersLayer,
      invitesLayer
    ]),
    Layer.provide(PasswordAttempts.layer),
    Layer.provide([authenticationLayer, rateLimitLayer(rateLimitPerMinute), authorizationLayer, requestBodyLayer]),
    Layer.provide(Posting.layer),
    Layer.provide(MeasureTexts.layer),
    Layer.provide(findCallerLayer),
    Layer.provide(unknownCallersLayer),
    Layer.provide([Layer.succeed(BaseUrl, baseUrl), Layer.succeed(ServiceFacts, { platforms, rateLimitPerMinute })])
  )
}

/** `KeyGate` lets these routes authenticate programs as the API does. */
const otherRoutes = <E, R>(
  others: Layer.Layer<never, E, R>,
  { baseUrl, rateLimitPerMinute }: Pick<ServerOptions, "baseUrl" | "rateLimitPerMinute">
) =>
  others.pipe(
    Layer.provide(keyGateLayer(rateLimitPerMinute)),
    Layer.provide(findCallerLayer),
    Layer.provide(unknownCallersLayer),
    Layer.provide(Layer.succeed(BaseUrl, baseUrl))
  )

const requiresHttps = ({ baseUrl, tls }: Pick<ServerOptions, "baseUrl" | "tls">): boolean =>
  Option.isSome(tls) || baseUrl.startsWith("https:")

/** The middleware of all routes, innermost first. A provided layer is added earlier, and runs earlier. */
const globalMiddlewareLayer = ({ baseUrl, tls, trustProxy }: ServerOptions) =>
  requestGuardLayer.pipe(
    Layer.provide(responsesLayer({ hsts: requiresHttps({ baseUrl, tls }) })),
    Layer.provide(trustProxy === "on" ? trustedProxyLayer : Layer.empty)
  )

/**
 * Serves the API, its pages and the routes of `others`, all with the same middleware. Provides the `HttpServer`, which
 * knows its port.
 */
export const serverLayer = <E = never, R = never>(options: ServerOptions, others: Layer.Layer<never, E, R>) =>
  (options.drainTime === undefined ? Layer.empty : drainLayer(options.drainTime)).pipe(
    Layer.provideMerge(
      fastReadsLayer({ ...options, hsts: requiresHttps(options), isProxied: options.trustProxy === "on" })
    ),
    Layer.provideMerge(
      HttpRouter.serve(
        Layer.mergeAll(apiLayer(options), healthLayer, metricsLayer, otherRoutes(others, options)).pipe(
          Layer.provide(globalMiddlewareLayer(options)),
          Layer.provide(RouteTable.routerLayer)
        ),
        { routerConfig, disableLogger: true, disableListenLog: true }
      )
    ),
    Layer.provide(ListBudget.layer()),
    Layer.provide([requestSpansLayer, Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.mebibytes(1))]),
    Layer.provide(RouteTable.layer),
    Layer.provideMerge(nodeServerLayer(options)),
    Layer.provide(Draining.layer)
  )
