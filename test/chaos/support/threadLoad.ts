import { perPlatform } from "../../support/platforms/perPlatform.ts"
import { Clock, DateTime, Effect, Random, Schedule, Schema } from "effect"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import { call } from "./calls.ts"
import { uploadFiles } from "./files.ts"
import type { World } from "./world.ts"

/** The parts of a thread on one platform: the text of each part, and the number of its files. */
export type Chain = ReadonlyArray<{ readonly text: string; readonly files: number }>

/** A requested thread or single post. */
export interface RequestedThread {
  /** Empty until the creation is acknowledged. */
  id: string
  readonly key: string
  readonly workspace: number
  /** The due time, in milliseconds since 1970. */
  readonly due: number
  readonly chains: Readonly<Record<LivePlatform, Chain>>
}

const decodeCreated = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ id: Schema.String })))

/** Sends a request to random replicas until one responds. All attempts have the same idempotency key. */
export const sendSurely = Effect.fnUntraced(function* (
  { replicas }: Pick<World, "replicas">,
  path: string,
  key: string,
  body: unknown,
  idempotencyKey?: string
) {
  const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }
  const send = Effect.gen(function* () {
    const { url } = yield* Effect.orDie(Random.choice(replicas.filter(({ isFrozen }) => !isFrozen())))
    return yield* call(`${url}${path}`, { method: "POST", key, headers, body })
  })
  return yield* Effect.repeat(send, {
    until: ({ status }) => ![0, 409, 412, 429, 503].includes(status),
    schedule: Schedule.spaced("200 millis")
  })
})

const onAll = ["twitter", "bluesky"] as const

interface Part {
  readonly content: string
  readonly media: ReadonlyArray<{ readonly id: string }>
  readonly platforms: ReadonlyArray<LivePlatform>
}

const chainOn = (platform: LivePlatform, parts: ReadonlyArray<Part>): Chain =>
  parts.flatMap(({ content, media, platforms }) =>
    platforms.includes(platform) ? [{ text: content, files: media.length }] : []
  )

/**
 * Creates threads of three to eight parts for both platforms through the API of random replicas. Some have images, and
 * some have a part only for Bluesky. One in ten is created twice on its account. One in five has a single post next to
 * it; half of these posts have the text of the thread's third part.
 */
export const createThreads = Effect.fn("createThreads")(function* (
  world: World,
  {
    dueWindow,
    pause,
    seed,
    threads
  }: {
    readonly threads: number
    readonly seed: string
    /** Each thread is due within this many milliseconds of its creation. */
    readonly dueWindow: number
    readonly pause: number
  }
) {
  const { keys } = world
  const requested: Array<RequestedThread> = []
  const wrongResponses: Array<string> = []
  const filesOf = yield* uploadFiles(Effect.orDie(Random.choice(world.replicas)), keys)

  const createThread = Effect.fnUntraced(function* (
    workspace: number,
    name: string,
    due: number,
    [first, ...thread]: readonly [Part, ...ReadonlyArray<Part>]
  ) {
    const key = keys[workspace] ?? ""
    const body = {
      content: first.content,
      platforms: onAll,
      media: first.media,
      thread: thread.map(({ platforms, ...part }) => (platforms === onAll ? part : { ...part, platforms })),
      schedule_at: DateTime.formatIso(DateTime.makeUnsafe(due))
    }
    const chains = perPlatform((platform) => chainOn(platform, [first, ...thread]))
    const request: RequestedThread = { id: "", key, workspace, due, chains }
    // Added before the request, because the thread may be published before the response arrives.
    requested.push(request)
    const { status, text } = yield* sendSurely(world, "/v1/posts", key, body, name)
    if (status === 201) request.id = (yield* Effect.orDie(decodeCreated(text))).id
    else wrongResponses.push(`${name} got ${status}: ${text}`)
  })

  const createOne = Effect.fnUntraced(function* (number: number) {
    const workspace = number % keys.length
    const due = (yield* Clock.currentTimeMillis) + (yield* Random.nextIntBetween(0, dueWindow))
    const length = yield* Random.nextIntBetween(3, 8)
    const withFile = number % 4 === 0 ? yield* Random.nextIntBetween(1, length) : 0
    const part = (index: number): Part => ({
      content: `Thread ${number} of seed ${seed}, part ${index}`,
      media: index === withFile ? filesOf(keys[workspace] ?? "", ["image"]) : [],
      platforms: number % 6 === 0 && index === 2 ? ["bluesky"] : onAll
    })
    const rest = Array.from({ length: length - 1 }, (_, index) => part(index + 2))
    yield* createThread(workspace, `thread ${number}`, due, [part(1), ...rest])
    if (number % 10 === 0) yield* createThread(workspace, `twin of thread ${number}`, due, [part(1), ...rest])
    if (number % 5 === 0) {
      const content = number % 2 === 0 ? `Thread ${number} of seed ${seed}, part 3` : `Post ${number} of seed ${seed}`
      yield* createThread(workspace, `post ${number}`, due, [{ content, media: [], platforms: onAll }])
    }
  })

  const createAll = Effect.forEach(
    Array.from({ length: threads }, (_, index) => index + 1),
    (number) => Effect.andThen(createOne(number), Effect.sleep(pause)),
    { concurrency: 4, discard: true }
  )
  return { requested, wrongResponses, createAll }
})
