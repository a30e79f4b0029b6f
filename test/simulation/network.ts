import { Deferred, Duration, Effect, Option } from "effect"
import { type Call, callTimeout, NoResponse } from "../../src/platforms/call.ts"
import type { ProcessId } from "../../src/domain/ids.ts"
import { toPlatformResponse } from "../support/platforms/memoryStandIn.ts"
import type { PlatformRequest, PlatformServer, ServerResponse } from "./platformServer.ts"
import type { Process } from "./process.ts"
import type { World } from "./world.ts"

/** Replaces HTTP between a process and a platform: it loses and delays requests and responses. */
export const makeNetwork = (
  world: World,
  process: Process,
  server: PlatformServer,
  currentLease: Effect.Effect<Option.Option<ProcessId>>
): Call => {
  const { prng } = world

  /**
   * Connects as the publisher's HTTP client does: if the process's lease changes while it connects, it does not send.
   */
  const connect = Effect.gen(function* () {
    const before = yield* currentLease
    yield* world.sleep(world.injects("connection slow") ? prng.between(500, 4500) : prng.between(0, 20))
    yield* process.untilRunning
    const isLeased = Option.isSome(before) && Option.contains(yield* currentLease, before.value)
    if (!isLeased) return yield* new NoResponse({ message: "The process's lease has ended", maybeSent: false })
  })

  /** Delivers a request and its response regardless of the sending process. */
  const deliver = (request: PlatformRequest, received: Deferred.Deferred<ServerResponse | "reset">, isSlow: boolean) =>
    Effect.suspend(() => {
      const requestLatency = world.injects("request delayed") ? prng.between(15_000, 600_000) : prng.between(5, 200)
      const isRenewal = server.isRenewal(request)
      const isUnavailable = isRenewal && world.renewalMeets("renewal unavailable")
      const isGivenLost = isRenewal && !isUnavailable && world.renewalMeets("renewal response lost")
      const isLost = world.injects("response lost") || isGivenLost
      const slowness = isRenewal && world.renewalMeets("renewal slow") ? world.access.between(500, 9000) : 0
      const isDelayed = isSlow || world.injects("response delayed")
      const responseLatency = isDelayed ? prng.between(4000, 25_000) : prng.between(5, 200)
      const isReset = prng.chance(0.5)
      return Effect.gen(function* () {
        yield* world.sleep(requestLatency + slowness)
        const response = isUnavailable ? { status: 503, isOwn: false } : server.handle(request)
        world.log(server.name, `${server.describe(request)} → ${response.status}${isLost ? ", response lost" : ""}`)
        if (isLost && !isReset) return
        yield* world.sleep(responseLatency)
        yield* Deferred.succeed(received, isLost ? "reset" : response)
      })
    })

  return (clientRequest) =>
    Effect.gen(function* () {
      yield* process.untilRunning
      yield* connect
      const request = server.receive(clientRequest, world.now())
      if (world.injects("crash") || world.isPoison(request.read.body))
        process.kill(`before ${server.describe(request)}`)
      yield* process.untilRunning
      if (world.injects("connection refused")) {
        yield* world.sleep(prng.between(0, 3000))
        yield* process.untilRunning
        return yield* new NoResponse({ message: `${server.name} could not be reached`, maybeSent: false })
      }
      world.log(process.name, `sends to ${server.name}: ${server.describe(request)}`)
      server.onSend(process, request)
      const received = yield* Deferred.make<ServerResponse | "reset">()
      const isTerminated = world.injects("termination while sending")
      if (!world.injects("request lost")) yield* world.fork(deliver(request, received, isTerminated))
      if (isTerminated) yield* process.terminate
      if (server.isRenewal(request) && world.renewalMeets("process killed in a renewal")) {
        yield* world.sleep(world.access.between(0, 3000))
        process.kill("in a renewal")
        yield* process.untilRunning
      }
      const response = yield* Effect.timeoutOption(Deferred.await(received), callTimeout)
      if (world.injects("crash")) process.kill(`after ${server.describe(request)}`)
      yield* process.untilRunning
      if (Option.isNone(response)) {
        const message = `${server.name} did not respond within ${Duration.toSeconds(callTimeout)} seconds`
        return yield* new NoResponse({ message, maybeSent: true })
      }
      if (response.value === "reset") {
        return yield* new NoResponse({ message: `The connection to ${server.name} was lost`, maybeSent: true })
      }
      server.onResponse(process, request, response.value)
      return toPlatformResponse(response.value)
    })
}
