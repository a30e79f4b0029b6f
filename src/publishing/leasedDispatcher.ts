import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { buildConnector } from "@effect/platform-node/Undici"
import { Duration, Effect, Layer, Option } from "effect"
import { GuardedHttpClient } from "../outbound/GuardedHttpClient.ts"
import type { OutboundPolicy } from "../outbound/policy.ts"
import { ProcessLease } from "./ProcessLease.ts"
import { connectTimeout } from "./timing.ts"

/** The error has the form of a connection error, so that the request counts as not sent. */
const withoutLease = () =>
  Object.assign(new Error("The process's lease has ended"), { code: "ECANCELED", syscall: "connect" })

/**
 * Writes requests only under the process's lease. Checks it at dispatch, and again once connected: the process may have
 * been suspended, and undici writes as soon as it has the socket. HTTP/1.1 only: an HTTP/2 session may write requests
 * later.
 */
const makeLeasedDispatcher = Effect.fnUntraced(function* (connectSocket: buildConnector.connector) {
  const { current } = yield* ProcessLease
  const runSync = Effect.runSyncWith(yield* Effect.context())
  const lease = () => Option.getOrUndefined(runSync(current))

  const connect: buildConnector.connector = (options, callback) => {
    const before = lease()
    if (before === undefined) return callback(withoutLease(), null)
    connectSocket(options, (error, socket) => {
      // With an error, the socket is undefined, not null as the type says.
      if (error !== null || socket === null) return callback(error ?? withoutLease(), null)
      if (lease() === before) return callback(null, socket)
      socket.destroy()
      callback(withoutLease(), null)
    })
  }

  const agent = yield* NodeHttpClient.makeDispatcherOptions({ connect, allowH2: false })
  return agent.compose((dispatch) => (options, handler) => {
    if (lease() === undefined) throw withoutLease()
    return dispatch(options, handler)
  })
})

/** The publisher's dispatcher for addresses that the operator configured. */
export const leasedDispatcherLayer = (
  connectOptions: buildConnector.BuildOptions = {}
): Layer.Layer<NodeHttpClient.Dispatcher, never, ProcessLease> =>
  Layer.effect(
    NodeHttpClient.Dispatcher,
    makeLeasedDispatcher(
      buildConnector({ timeout: Duration.toMillis(connectTimeout), ...connectOptions, allowH2: false })
    )
  )

/** The publisher's client for addresses that others chose. */
export const leasedGuardedClientLayer = (policy: OutboundPolicy): Layer.Layer<GuardedHttpClient, never, ProcessLease> =>
  GuardedHttpClient.layerWith(policy, makeLeasedDispatcher)
