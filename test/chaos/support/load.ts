import { Clock, DateTime, Effect, Random, Schedule } from "effect"
import { call } from "./calls.ts"
import { fileTypesOf, settingsOn, takingFiles, type uploadFiles } from "./files.ts"
import type { World } from "./world.ts"

export interface RequestedPost {
  readonly content: string
  /** The due time, in milliseconds since 1970. */
  readonly due: number
  /** True if the service acknowledged the post. Without an acknowledgment the post may be stored nevertheless. */
  readonly acknowledged: boolean
  /** True if another post of the same account has this text and is due at the same time. */
  readonly isTwin?: boolean
  readonly files: number
}

export interface LoadOptions {
  readonly posts: number
  readonly seed: string
  /** Each post is due within this many milliseconds of its creation. */
  readonly dueWindow: number
  /** The pause between two posts, in milliseconds. */
  readonly pause: number
  /** One of this many posts has a twin: another post with the same text. By default no post has one. */
  readonly twinEvery?: number
  /** One of this many posts has images or a video. By default no post has any. */
  readonly mediaEvery?: number
  readonly filesOf?: Effect.Success<ReturnType<typeof uploadFiles>>
}

/**
 * Creates posts for the world's platforms through the API of random replicas, until enough posts are acknowledged. A retry has
 * another text, because the first post may be stored without an acknowledgment.
 */
export const createPosts = Effect.fn("createPosts")(function* (
  { keys, platforms, replicas }: Pick<World, "keys" | "platforms" | "replicas">,
  options: LoadOptions
) {
  const requested: Array<RequestedPost> = []
  const wrongResponses: Array<string> = []
  const chooseReplica = Effect.suspend(() =>
    Effect.orDie(Random.choice(replicas.filter(({ isFrozen }) => !isFrozen())))
  )
  /**
   * Creates a post and its twin. Each creation has an idempotency key, so retries are safe and there are exactly two
   * posts.
   */
  const createTwins = Effect.fnUntraced(function* (number: number) {
    const due = (yield* Clock.currentTimeMillis) + Math.floor((yield* Random.next) * options.dueWindow)
    const content = `Twins ${number} of seed ${options.seed}`
    const body = {
      content,
      platforms: takingFiles(platforms, []),
      schedule_at: DateTime.formatIso(DateTime.makeUnsafe(due))
    }
    const key = keys[number % keys.length] ?? ""
    for (const twin of ["first", "second"]) {
      const headers = { "idempotency-key": `${twin} of ${content}` }
      const send = Effect.flatMap(chooseReplica, ({ url }) =>
        call(`${url}/v1/posts`, { method: "POST", key, headers, body })
      )
      const { status, text } = yield* Effect.repeat(send, {
        until: (response) => ![0, 409, 503].includes(response.status),
        schedule: Schedule.spaced("200 millis")
      })
      if (status !== 201) wrongResponses.push(`A twin got ${status}: ${text}`)
      requested.push({ content, due, acknowledged: status === 201, isTwin: true, files: 0 })
    }
  })
  const createOne = Effect.fnUntraced(function* (number: number) {
    const key = keys[number % keys.length] ?? ""
    const types = fileTypesOf(number, options.mediaEvery ?? options.posts + 1)
    const media = options.filesOf?.(key, types) ?? []
    for (let round = 1; ; round++) {
      const replica = yield* chooseReplica
      const due = (yield* Clock.currentTimeMillis) + Math.floor((yield* Random.next) * options.dueWindow)
      const content = `Post ${number} of seed ${options.seed}${round === 1 ? "" : `, request ${round}`}`
      const taking = takingFiles(platforms, types)
      const body = {
        content,
        platforms: taking,
        ...settingsOn(taking, content),
        media,
        schedule_at: DateTime.formatIso(DateTime.makeUnsafe(due))
      }
      const { status, text } = yield* call(`${replica.url}/v1/posts`, { method: "POST", key, body })
      requested.push({ content, due, acknowledged: status === 201, files: media.length })
      if (status === 201) return
      if (status !== 0 && status !== 503) {
        wrongResponses.push(`${replica.name} responded ${status} to a post: ${text}`)
        return
      }
      yield* Effect.sleep("200 millis")
    }
  })
  yield* Effect.forEach(
    Array.from({ length: options.posts }, (_, index) => index + 1),
    (number) =>
      Effect.andThen(
        number % (options.twinEvery ?? options.posts + 1) === 0 ? createTwins(number) : createOne(number),
        Effect.sleep(options.pause)
      ),
    { concurrency: 4, discard: true }
  )
  return { requested, wrongResponses }
})
