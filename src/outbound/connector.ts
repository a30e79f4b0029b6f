import { buildConnector } from "@effect/platform-node/Undici"
import { Duration, Effect, Exit, Cause, Result } from "effect"
import { isIPv6, type LookupFunction } from "node:net"
import { AddressRefused, type Unreachable } from "./errors.ts"
import { checkAddresses, literalAddresses, type OutboundPolicy } from "./policy.ts"
import { ResolveName } from "./resolver.ts"

/** Shorter than the margin that a process leaves before its lease ends: see src/publishing/timing.ts. */
const connectTimeout = Duration.seconds(5)

const maxAddresses = 8

const addressesOf = Effect.fnUntraced(function* (
  policy: OutboundPolicy,
  host: string
): Effect.fn.Return<ReadonlyArray<string>, AddressRefused | Unreachable> {
  const resolve = yield* ResolveName
  return yield* Effect.fromResult(checkAddresses(policy, literalAddresses(host) ?? (yield* resolve(host))))
})

/**
 * Connects only to addresses that it has checked, and resolves a name once (DNS rebinding). undici calls `lookup` only
 * for names, so IP addresses are checked before.
 */
export const makeGuardedConnector = Effect.fnUntraced(function* (
  policy: OutboundPolicy
): Effect.fn.Return<buildConnector.connector> {
  const run = Effect.runCallbackWith(yield* Effect.context())

  const lookup: LookupFunction = (host, options, callback) => {
    run(addressesOf(policy, host), {
      onExit: Exit.match({
        onFailure: (cause) => {
          const error = Cause.squash(cause)
          callback(error instanceof Error ? error : new AddressRefused({ message: "The name can't be resolved" }), [])
        },
        onSuccess: (addresses) => {
          const found = addresses
            .slice(0, maxAddresses)
            .map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
          const [first] = found
          if (options.all === true || first === undefined) return callback(null, found)
          callback(null, first.address, first.family)
        }
      })
    })
  }

  const connect = buildConnector({
    timeout: Duration.toMillis(connectTimeout),
    allowH2: false,
    lookup
  })
  return (options, callback) => {
    const literal = literalAddresses(options.hostname.replace(/^\[(.*)\]$/, "$1"))
    const checked = literal === undefined ? undefined : checkAddresses(policy, literal)
    if (checked !== undefined && Result.isFailure(checked)) return callback(checked.failure, null)
    connect(options, callback)
  }
})
