import { Duration, Effect } from "effect"

/** A response, and its duration in milliseconds. */
export interface TimedResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly took: number
}

/** Sends a request. The status is 0 if no response arrives within 30 seconds. */
export const call = Effect.fn("call")(function* (
  url: string,
  {
    body,
    form,
    headers,
    key,
    method = "GET"
  }: {
    readonly method?: string
    readonly key?: string | undefined
    readonly body?: unknown
    /** Sent instead of a JSON body. */
    readonly form?: FormData
    readonly headers?: Readonly<Record<string, string>>
  } = {}
) {
  const [took, response] = yield* Effect.tryPromise(async () => {
    const fetched = await fetch(url, {
      method,
      headers: {
        ...headers,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(form === undefined ? {} : { body: form }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000)
    })
    return { status: fetched.status, headers: fetched.headers, text: await fetched.text() }
  }).pipe(
    Effect.orElseSucceed(() => ({ status: 0, headers: new Headers(), text: "" })),
    Effect.timed
  )
  return { ...response, took: Duration.toMillis(took) } satisfies TimedResponse
})
