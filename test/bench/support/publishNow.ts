import { Effect } from "effect"
import { call } from "../../chaos/support/calls.ts"
import { now } from "./answerParent.ts"
import type { Platform } from "./startPlatform.ts"

/** The pause between two posts, so that each post finds an idle publisher. */
const pause = "50 millis"

/** Calls the API, and fails if it refuses the request. */
const callApi = Effect.fnUntraced(function* (url: string, key: string, body?: unknown) {
  const response = yield* call(url, { method: "POST", key, ...(body === undefined ? {} : { body }) })
  if (response.status >= 300 || response.status === 0) return yield* Effect.die(new Error(`${url}: ${response.text}`))
  return response
})

const readId = (text: string): string => {
  const created: { readonly id: string } = JSON.parse(text)
  return created.id
}

/**
 * Requests to publish a post now, through the API at `url`. Returns the start time and the response time, in
 * milliseconds.
 */
export const makePublishNow = (url: string) =>
  Effect.fnUntraced(function* (text: string, key: string) {
    const draft = yield* callApi(url, key, { content: text, platforms: ["twitter"] })
    yield* Effect.sleep(pause)
    const at = now()
    yield* callApi(`${url}/${readId(draft.text)}/publish`, key)
    return { at, response: now() - at }
  })

/** The number of each contender's first posts, which are not measured. */
export const warmUp = 20

/** The milliseconds from an order to publish one post, which returns its time, until the post arrives. */
export const untilArrival = Effect.fnUntraced(function* <E, R>(
  platform: Platform,
  order: Effect.Effect<{ readonly at: number }, E, R>
) {
  yield* platform.reset(0)
  const { at } = yield* order
  yield* platform.wait(1)
  const [arrivedAt = 0] = (yield* platform.arrivals).values()
  return arrivedAt - at
})

/** `order` tells a program to publish a post now, and returns the time of that. */
interface Contender<E, R> {
  readonly name: string
  readonly order: (text: string, number: number) => Effect.Effect<{ readonly at: number }, E, R>
}

/** Publishes `count` posts of each contender, one by one and in turns. Adds the `times` until they arrive. */
export const publishInTurns = Effect.fnUntraced(function* <More, E, R>(
  platform: Platform,
  contenders: ReadonlyArray<Contender<E, R> & More>,
  count: number
) {
  const measured = contenders.map((contender) => ({ ...contender, times: new Array<number>() }))
  for (let number = 0; number < warmUp + count; number++) {
    for (const { name, order, times } of measured) {
      const taken = yield* untilArrival(platform, order(`${name} ${number}`, number))
      if (number >= warmUp) times.push(taken)
      yield* Effect.sleep(pause)
    }
  }
  return measured
})
