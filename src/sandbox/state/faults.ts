import { Effect, Queue, Schema } from "effect"
import { LivePlatform } from "../../domain/platform.ts"

const When = Schema.Literals(["before_commit", "after_commit"])

const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400_000 }))

const Status = Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 }))

const ofKind = <const Kind extends string, const Fields extends Schema.Struct.Fields>(kind: Kind, fields: Fields) =>
  Schema.Struct({ kind: Schema.Literal(kind), ...fields })

/** The sandbox's README explains each kind. */
const Fault = Schema.Union([
  ofKind("status", {
    status: Status,
    when: Schema.optionalKey(When),
    /** A name or title. */
    error: Schema.optionalKey(Schema.String),
    detail: Schema.optionalKey(Schema.String),
    /** Replaces the whole body. */
    body: Schema.optionalKey(Schema.String),
    /** Seconds, for the Retry-After header. */
    retry_after: Schema.optionalKey(Schema.Int),
    /** Seconds from now, for the platform's rate limit headers. */
    reset_after: Schema.optionalKey(Schema.Int)
  }),
  ofKind("front", { status: Status, when: Schema.optionalKey(When) }),
  ofKind("overload", { ms: Millis }),
  ofKind("delay", { ms: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600_000 })) }),
  ofKind("reset", { when: When }),
  ofKind("hang", { when: Schema.optionalKey(When) }),
  ofKind("lag", { ms: Millis }),
  ofKind("clock", { ms: Millis }),
  ofKind("nulls", {}),
  ofKind("processing", {
    ms: Schema.optionalKey(Millis),
    error: Schema.optionalKey(Schema.String),
    /** Bluesky's `failureCode`. */
    code: Schema.optionalKey(Schema.String)
  }),
  ofKind("unseen", { ms: Millis }),
  ofKind("no_replies", {}),
  ofKind("forgotten_files", {}),
  ofKind("whims", {}),
  ofKind("lost_blobs", {}),
  ofKind("fields", { name: Schema.Literals(["post.fields", "tweet.fields"]) })
])
export type Fault = typeof Fault.Type

/** Faults under which a request is carried out. */
export type Oddity = Exclude<Fault, { readonly kind: "status" | "front" | "delay" | "reset" | "hang" }>

/** `publish` orders also apply to replies. */
const CallKind = Schema.Literals(["publish", "reply", "delete", "upload", "timeline", "session", "identity", "any"])
export type CallKind = typeof CallKind.Type

const fits = (ordered: CallKind, call: CallKind): boolean =>
  ordered === call || ordered === "any" || (ordered === "publish" && call === "reply")

/** A fault for the next calls to a platform: by default for one call that publishes. */
export const FaultOrder = Schema.Struct({
  platform: LivePlatform,
  call: Schema.optionalKey(CallKind),
  fault: Fault,
  times: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 })))
})
export type FaultOrder = typeof FaultOrder.Type

/** `times` is the number of remaining calls. */
export type PendingFault = Required<FaultOrder>

const metCapacity = 1000

export const makeFaults = Effect.gen(function* () {
  let orders: ReadonlyArray<PendingFault> = []
  const met = yield* Queue.sliding<Fault>(metCapacity)

  const add = ({ call = "publish", fault, platform, times = 1 }: FaultOrder) =>
    Effect.sync(() => {
      const order: PendingFault = { platform, call, fault, times }
      orders = [...orders, order]
      return order
    })

  const clear = Effect.sync(() => {
    const count = orders.length
    orders = []
    return count
  })

  /** Takes a fault from the oldest order that fits the call. */
  const take = (platform: LivePlatform, call: CallKind): Effect.Effect<Fault | undefined> =>
    Effect.suspend(() => {
      const first = orders.find((order) => order.platform === platform && fits(order.call, call))
      if (first === undefined) return Effect.undefined
      orders = orders.flatMap((order) => {
        if (order !== first) return [order]
        return order.times > 1 ? [{ ...order, times: order.times - 1 }] : []
      })
      return Effect.as(Queue.offer(met, first.fault), first.fault)
    })

  return {
    add,
    pending: Effect.sync(() => orders),
    clear,
    take,
    met: Queue.take(met)
  }
})

export type Faults = Effect.Success<typeof makeFaults>
