import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { buildConnector, Dispatcher } from "@effect/platform-node/Undici"
import { Context, Effect, Layer, type Scope } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { makeGuardedConnector } from "./connector.ts"
import { checkUrl, type OutboundPolicy } from "./policy.ts"

/** A refused request fails with an `AddressRefused` as its cause. */
const guarded = (client: HttpClient.HttpClient, policy: OutboundPolicy): HttpClient.HttpClient =>
  HttpClient.transform(client, (execute, request) =>
    Effect.matchEffect(Effect.fromResult(checkUrl(policy, request.url)), {
      onFailure: (cause) =>
        Effect.fail(
          new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
        ),
      onSuccess: () => execute
    })
  )

/**
 * For addresses that others chose: people over the API, or documents on the internet. Reaches only public addresses
 * (SSRF), and follows no redirects. Another client requests addresses that the operator configured.
 */
export class GuardedHttpClient extends Context.Service<GuardedHttpClient, HttpClient.HttpClient>()(
  "social-publisher/outbound/GuardedHttpClient"
) {
  /** `makeDispatcher` gets the connector that checks addresses. */
  static readonly layerWith = <R>(
    policy: OutboundPolicy,
    makeDispatcher: (connect: buildConnector.connector) => Effect.Effect<Dispatcher, never, R>
  ): Layer.Layer<GuardedHttpClient, never, Exclude<R, Scope.Scope>> =>
    Layer.effect(
      GuardedHttpClient,
      Effect.map(HttpClient.HttpClient, (client) => guarded(client, policy))
    ).pipe(
      // Without `fresh`, all clients of a process would share the first client's dispatcher and policy.
      Layer.provide(Layer.fresh(NodeHttpClient.layerUndiciNoDispatcher)),
      Layer.provide(
        Layer.effect(NodeHttpClient.Dispatcher, Effect.flatMap(makeGuardedConnector(policy), makeDispatcher))
      )
    )

  static readonly layer = (policy: OutboundPolicy): Layer.Layer<GuardedHttpClient> =>
    GuardedHttpClient.layerWith(policy, (connect) => NodeHttpClient.makeDispatcherOptions({ connect, allowH2: false }))
}
