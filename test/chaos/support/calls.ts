import { Duration, Effect } from "effect"

/** An answer of the service, and how long it took in milliseconds. */
export interface TimedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly took: number
}

/** Asks for something; status 0 where there was no answer within half a minute. */
export const call = Effect.fn("call")(function* (
  url: string,
  { body, key, method = "GET" }: { readonly method?: string; readonly key?: string; readonly body?: unknown } = {}
) {
  const [took, answer] = yield* Effect.tryPromise(async () => {
    const response = await fetch(url, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000)
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }).pipe(
    Effect.orElseSucceed(() => ({ status: 0, headers: new Headers(), text: "" })),
    Effect.timed
  )
  return { ...answer, took: Duration.toMillis(took) } satisfies TimedAnswer
})
