/** How many requests are left. */
export interface RateLimit {
  readonly remaining: number
  /** Until the window ends. */
  readonly seconds: number
}

/** A response that has been read. */
export interface Answered<A> {
  readonly data: A
  readonly status: number
  readonly headers: Headers
  readonly etag: string | null
  readonly requestId: string | null
  /** Whether this is the response to an earlier request with the same key. */
  readonly idempotentReplayed: boolean
  /** Null where the response names none. */
  readonly rateLimit: RateLimit | null
}

/** What a call gets. The request is sent at once, whether or not anybody waits. */
export interface Answer<A> extends Promise<A> {
  /** The same with the response's headers. */
  readonly withResponse: () => Promise<Answered<A>>
}

/**
 * A list that is read page by page: `for await` reads each item, `page()` one page. Nothing is sent before. Where pages are
 * counted, an item that moves to the next page meanwhile is read once.
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
    // Whoever has the response learns of a failure there.
    data.catch(() => undefined)
    return sent
  }
  return Object.assign(data, { withResponse })
}
