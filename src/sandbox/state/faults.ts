import { Effect, Queue, Schema } from "effect"
import { LivePlatform } from "../../domain/platform.ts"

const When = Schema.Literals(["before_commit", "after_commit"])

const Fault = Schema.Union([
  /** Answers with a status, by default without carrying the request out. */
  Schema.Struct({
    kind: Schema.Literal("status"),
    status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })),
    when: Schema.optionalKey(When),
    /** The error's name on Bluesky, its title on X. */
    error: Schema.optionalKey(Schema.String),
    detail: Schema.optionalKey(Schema.String),
    /** The whole body, in place of the platform's own. */
    body: Schema.optionalKey(Schema.String),
    /** Seconds, for the Retry-After header. */
    retry_after: Schema.optionalKey(Schema.Int),
    /** Seconds from now, for the platform's reset header. */
    reset_after: Schema.optionalKey(Schema.Int)
  }),
  /** Carries the request out after a time, even if the caller has gone by then. */
  Schema.Struct({
    kind: Schema.Literal("delay"),
    ms: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600_000 }))
  }),
  /** Breaks the connection: before the request is carried out, or after. */
  Schema.Struct({ kind: Schema.Literal("reset"), when: When }),
  /** Never answers. */
  Schema.Struct({ kind: Schema.Literal("hang"), when: Schema.optionalKey(When) }),
  /** A timeline that does not show the newest posts yet: those of the last `ms`. */
  Schema.Struct({
    kind: Schema.Literal("lag"),
    ms: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400_000 }))
  })
])
export type Fault = typeof Fault.Type

const SandboxCall = Schema.Literals(["publish", "timeline", "session", "identity", "any"])
export type SandboxCall = typeof SandboxCall.Type

/** An order to go wrong: in which calls to a platform (`publish` unless told), how, and how many times (once unless told). */
export const FaultOrder = Schema.Struct({
  platform: LivePlatform,
  call: Schema.optionalKey(SandboxCall),
  fault: Fault,
  times: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 })))
})
export type FaultOrder = typeof FaultOrder.Type

/** An order and how many times it is still to be carried out. */
export interface PendingFault {
  readonly platform: LivePlatform
  readonly call: SandboxCall
  readonly fault: Fault
  readonly times: number
}

export interface SandboxFaults {
  readonly add: (order: FaultOrder) => Effect.Effect<PendingFault>
  readonly pending: Effect.Effect<ReadonlyArray<PendingFault>>
  /** Answers how many orders there were. */
  readonly clear: Effect.Effect<number>
  /** The fault that a call is to meet, the oldest order first. */
  readonly take: (platform: LivePlatform, call: SandboxCall) => Effect.Effect<Fault | undefined>
  /** Waits until a call has met a fault. */
  readonly met: Effect.Effect<Fault>
}

const mostRemembered = 1000

export const makeSandboxFaults = Effect.gen(function* () {
  let orders: ReadonlyArray<PendingFault> = []
  const met = yield* Queue.sliding<Fault>(mostRemembered)

  const add: SandboxFaults["add"] = ({ call = "publish", fault, platform, times = 1 }) =>
    Effect.sync(() => {
      const pending = { platform, call, fault, times }
      orders = [...orders, pending]
      return pending
    })

  const clear = Effect.sync(() => {
    const count = orders.length
    orders = []
    return count
  })

  const take: SandboxFaults["take"] = (platform, call) =>
    Effect.suspend(() => {
      const first = orders.find((order) => order.platform === platform && (order.call === call || order.call === "any"))
      if (first === undefined) return Effect.undefined
      orders = orders.flatMap((order) => {
        if (order !== first) return [order]
        return order.times > 1 ? [{ ...order, times: order.times - 1 }] : []
      })
      return Effect.as(Queue.offer(met, first.fault), first.fault)
    })

  return { add, pending: Effect.sync(() => orders), clear, take, met: Queue.take(met) } satisfies SandboxFaults
})
