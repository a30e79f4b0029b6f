import { Effect, Queue, Schema } from "effect"
import { LivePlatform } from "../../domain/platform.ts"

const When = Schema.Literals(["before_commit", "after_commit"])

const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400_000 }))

const Status = Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 }))

const ofKind = <const Kind extends string, const Fields extends Schema.Struct.Fields>(kind: Kind, fields: Fields) =>
  Schema.Struct({ kind: Schema.Literal(kind), ...fields })

const Fault = Schema.Union([
  /** Responds with a status, by default without carrying the request out. */
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
  /** A proxy in front of the platform answers with its own page, by default without passing the request on. */
  ofKind("front", { status: Status, when: Schema.optionalKey(When) }),
  /**
   * Answers that the platform is overloaded, and still carries the request out. A timeline does not show the post for
   * `ms`.
   */
  ofKind("overload", { ms: Millis }),
  /** Carries the request out after a delay, even if the caller has disconnected. */
  ofKind("delay", { ms: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600_000 })) }),
  ofKind("reset", { when: When }),
  /** Never responds, and by default does not carry the request out. */
  ofKind("hang", { when: Schema.optionalKey(When) }),
  /** Omits the posts of the last `ms` from a timeline. */
  ofKind("lag", { ms: Millis }),
  /** Stores a post with the time of a clock that is behind by `ms`. */
  ofKind("clock", { ms: Millis }),
  /** A timeline has null for every member that the platform may omit, and a post whose text is null. */
  ofKind("nulls", {}),
  /** Takes `ms` to process a file, a second by default, and then fails if there is an `error`. */
  ofKind("processing", { ms: Schema.optionalKey(Millis), error: Schema.optionalKey(Schema.String) }),
  /** Hides the created post from replies to it for `ms`. */
  ofKind("unseen", { ms: Millis }),
  /** Refuses a reply because the application may not reply. Other posts are carried out. */
  ofKind("no_replies", {}),
  /** Forgets a post's files before it creates the post. */
  ofKind("forgotten_files", {}),
  /** Loses the bytes of all blobs without a record. */
  ofKind("lost_blobs", {}),
  /** Accepts only one of the two names of the timeline's parameter for fields. */
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

export interface Faults {
  readonly add: (order: FaultOrder) => Effect.Effect<PendingFault>
  readonly pending: Effect.Effect<ReadonlyArray<PendingFault>>
  readonly clear: Effect.Effect<number>
  /** From the oldest order that fits. */
  readonly take: (platform: LivePlatform, call: CallKind) => Effect.Effect<Fault | undefined>
  /** Waits for the next fault that a call got. */
  readonly met: Effect.Effect<Fault>
}

const metCapacity = 1000

export const makeFaults = Effect.gen(function* () {
  let orders: ReadonlyArray<PendingFault> = []
  const met = yield* Queue.sliding<Fault>(metCapacity)

  const add: Faults["add"] = ({ call = "publish", fault, platform, times = 1 }) =>
    Effect.sync(() => {
      const order = { platform, call, fault, times }
      orders = [...orders, order]
      return order
    })

  const clear = Effect.sync(() => {
    const count = orders.length
    orders = []
    return count
  })

  const take: Faults["take"] = (platform, call) =>
    Effect.suspend(() => {
      const first = orders.find((order) => order.platform === platform && fits(order.call, call))
      if (first === undefined) return Effect.undefined
      orders = orders.flatMap((order) => {
        if (order !== first) return [order]
        return order.times > 1 ? [{ ...order, times: order.times - 1 }] : []
      })
      return Effect.as(Queue.offer(met, first.fault), first.fault)
    })

  return { add, pending: Effect.sync(() => orders), clear, take, met: Queue.take(met) } satisfies Faults
})
