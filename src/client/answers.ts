export interface RateLimit {
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly seconds: number
}

export interface Answered<A> {
  readonly data: A
  readonly status: number
  readonly headers: Headers
  readonly etag: string | null
  readonly requestId: string | null
  /** True if this response repeats that of an earlier request with the same key. */
  readonly idempotentReplayed: boolean
  readonly rateLimit: RateLimit | null
}

/** The response to a request that is sent immediately, even if nobody awaits it. */
export interface Answer<A> extends Promise<A> {
  /** Resolves to the data and facts from the response's headers. */
  readonly withResponse: () => Promise<Answered<A>>
}

/**
 * `for await` reads every item, and `page()` reads one page. Nothing is requested before that. An item that moves to
 * the next numbered page during the reading is returned once.
 */
export interface Pages<Item, Page> extends AsyncIterable<Item> {
  readonly page: () => Answer<Page>
}

const readRateLimit = (headers: Headers): RateLimit | null => {
  const [, remaining, seconds] = /;r=(\d+);t=(\d+)/.exec(headers.get("ratelimit") ?? "") ?? []
  return remaining === undefined || seconds === undefined
    ? null
    : { remaining: Number(remaining), seconds: Number(seconds) }
}

export const answered = <A>(data: A, { headers, status }: Response): Answered<A> => ({
  data,
  status,
  headers,
  etag: headers.get("etag"),
  requestId: headers.get("x-request-id"),
  idempotentReplayed: headers.get("idempotent-replayed") === "true",
  rateLimit: readRateLimit(headers)
})

export const answer = <A>(sent: Promise<Answered<A>>): Answer<A> => {
  const data = sent.then((result) => result.data)
  const withResponse = () => {
    // Prevents an unhandled rejection. The caller handles the failure of `sent` instead.
    data.catch(() => undefined)
    return sent
  }
  return Object.assign(data, { withResponse })
}
