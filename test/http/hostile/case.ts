/** What the bytes of a case are made with. */
export interface Names {
  /** The caller's key, which may do everything. */
  readonly key: string
  /** The cookie of a user's session in the caller's workspace. */
  readonly cookie: string
  /** A draft of the caller's. */
  readonly post: string
  /** A draft of another workspace. */
  readonly foreign: string
}

/** An answer, all of it. */
export interface Expected {
  readonly status: number
  /** A problem without its type, title and request_id; or the text, or what it has to match. */
  readonly body?: object | string | RegExp
  readonly headers?: Readonly<Record<string, string>>
}

/** How many rows of each table there are more and fewer: a changed row is one of both. */
export type Changes = Readonly<Record<string, readonly [added: number, removed: number]>>

export interface HostileCase {
  readonly title: string
  readonly send: (names: Names) => Uint8Array
  /** The answers in the order of the requests; none where the server hangs up. */
  readonly answers: ReadonlyArray<Expected>
  /** The connection is closed after that; otherwise the next request through it is answered as usual. */
  readonly closes?: true
  /** What is different in the database afterwards: nothing unless said. */
  readonly changes?: Changes
}
