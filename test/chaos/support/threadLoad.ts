import { perPlatform } from "../../support/platforms/perPlatform.ts"
import { Clock, DateTime, Effect, Random, Schedule, Schema } from "effect"
import { hasThreads } from "../../../src/domain/plain/platforms.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import { call } from "./calls.ts"
import { fileTypesOf, settingsOn, takingFiles, uploadFiles } from "./files.ts"
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
 * Creates threads of three to eight parts for the platforms that have threads, and single posts for all platforms,
 * through the API of random replicas. Some have images, and some threads have a part only for Bluesky. One thread in ten
 * is created twice on its account. One in five has a single post next to it; half of these posts have the text of the
 * thread's third part.
 */
export const createThreads = Effect.fn("createThreads")(function* (
  world: World,
  {
    dueWindow,
    pause,
    posts,
    seed,
    threads
  }: {
    readonly threads: number
    /** The number of single posts. A third of them have files. */
    readonly posts: number
    readonly seed: string
    /** Each thread is due within this many milliseconds of its creation. */
    readonly dueWindow: number
    readonly pause: number
  }
) {
  const { keys, platforms: onAll } = world
  const onThreads = onAll.filter(hasThreads)
  const requested: Array<RequestedThread> = []
  const wrongResponses: Array<string> = []
  const filesOf = yield* uploadFiles(Effect.orDie(Random.choice(world.replicas)), keys)

  const createThread = Effect.fnUntraced(function* (
    workspace: number,
    name: string,
    due: number,
    [first, ...thread]: readonly [Part, ...ReadonlyArray<Part>]
  ) {
    const on = first.platforms
    const key = keys[workspace] ?? ""
    const body = {
      content: first.content,
      platforms: on,
      media: first.media,
      ...settingsOn(on, first.content),
      thread: thread.map(({ platforms, ...part }) => (platforms === on ? part : { ...part, platforms })),
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
      platforms: number % 6 === 0 && index === 2 ? ["bluesky"] : onThreads
    })
    const rest = Array.from({ length: length - 1 }, (_, index) => part(index + 2))
    yield* createThread(workspace, `thread ${number}`, due, [part(1), ...rest])
    if (number % 10 === 0) yield* createThread(workspace, `twin of thread ${number}`, due, [part(1), ...rest])
    if (number % 5 === 0) {
      const content = number % 2 === 0 ? `Thread ${number} of seed ${seed}, part 3` : `Post ${number} of seed ${seed}`
      yield* createThread(workspace, `post ${number}`, due, [{ content, media: [], platforms: takingFiles(onAll, []) }])
    }
  })

  const createSingle = Effect.fnUntraced(function* (number: number) {
    const workspace = number % keys.length
    const due = (yield* Clock.currentTimeMillis) + (yield* Random.nextIntBetween(0, dueWindow))
    const types = fileTypesOf(number, 3)
    const media = filesOf(keys[workspace] ?? "", types)
    const content = `Single ${number} of seed ${seed}`
    yield* createThread(workspace, `single ${number}`, due, [{ content, media, platforms: takingFiles(onAll, types) }])
  })

  const createMany = (count: number, create: (number: number) => Effect.Effect<void>, wait: number) =>
    Effect.forEach(
      Array.from({ length: count }, (_, index) => index + 1),
      (number) => Effect.andThen(create(number), Effect.sleep(wait)),
      { concurrency: 4, discard: true }
    )
  // Both take the same time, so that posts are among the parts of the threads.
  const createAll = Effect.all(
    [createMany(threads, createOne, pause), createMany(posts, createSingle, (pause * threads) / Math.max(posts, 1))],
    { concurrency: "unbounded", discard: true }
  )
  return { requested, wrongResponses, createAll }
})
