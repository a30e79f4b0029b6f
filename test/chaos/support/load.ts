import { Clock, DateTime, Effect, Random } from "effect"
import { call } from "./calls.ts"
import type { World } from "./world.ts"

/** A post that was asked for. */
export interface AskedPost {
  readonly content: string
  /** When it is due, in milliseconds since 1970. */
  readonly due: number
  /** Whether the service said that it has it; otherwise it may have. */
  readonly acknowledged: boolean
}

export interface LoadOptions {
  readonly posts: number
  readonly seed: string
  /** The posts' times are spread over this long, in milliseconds from each one's creation. */
  readonly window: number
  /** The pause between two posts, in milliseconds. */
  readonly pause: number
}

/**
 * Creates posts through the API of whichever replica, each for both platforms, until so many are acknowledged. One that
 * is not gets another text when it is asked for again, because it may have been stored.
 */
export const createPosts = Effect.fn("createPosts")(function* (
  { keys, replicas }: Pick<World, "keys" | "replicas">,
  options: LoadOptions
) {
  const asked: Array<AskedPost> = []
  const wrong: Array<string> = []
  const createOne = Effect.fnUntraced(function* (number: number) {
    for (let round = 1; ; round++) {
      const replica = yield* Effect.orDie(Random.choice(replicas))
      const due = (yield* Clock.currentTimeMillis) + Math.floor((yield* Random.next) * options.window)
      const content = `Post ${number} of seed ${options.seed}${round === 1 ? "" : `, asked for the ${round}th time`}`
      const body = {
        content,
        platforms: ["twitter", "bluesky"],
        schedule_at: DateTime.formatIso(DateTime.makeUnsafe(due))
      }
      const key = keys[number % keys.length] ?? ""
      const { status, text } = yield* call(`${replica.url}/v1/posts`, { method: "POST", key, body })
      asked.push({ content, due, acknowledged: status === 201 })
      if (status === 201) return
      if (status !== 0 && status !== 503) wrong.push(`${replica.name} answered ${status} to a post: ${text}`)
      yield* Effect.sleep("200 millis")
    }
  })
  yield* Effect.forEach(
    Array.from({ length: options.posts }, (_, index) => index + 1),
    (number) => Effect.andThen(createOne(number), Effect.sleep(options.pause)),
    { concurrency: 4, discard: true }
  )
  return { asked, wrong }
})
