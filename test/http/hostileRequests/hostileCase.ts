/** The values of a request's placeholders, such as `{key}`. */
export interface Names {
  /** The caller's key, which has all scopes. */
  readonly key: string
  /** The cookie of a session in the caller's workspace. */
  readonly cookie: string
  /** A draft of the caller's workspace. */
  readonly post: string
  /** A draft of another workspace. */
  readonly foreign: string
  /** A key of the caller's workspace that requires approval, and the key's id. */
  readonly agent: string
  readonly agentId: string
  /** The cookie of a session of a viewer in the caller's workspace, and the viewer's id. */
  readonly viewer: string
  readonly viewerId: string
  /** The id of the only admin of the caller's workspace. */
  readonly admin: string
  /** An invitation to the caller's workspace. */
  readonly invite: string
  /** An account of the caller's workspace. */
  readonly integration: string
}

export type Bytes = (names: Names) => Uint8Array

/** The numbers of rows that a table gains and loses. A changed row counts as one added and one removed. */
export type Changes = Readonly<Record<string, readonly [added: number, removed: number]>>

export interface ExpectedResponse {
  readonly status: number
  /** A problem without its type, title and request_id; otherwise the whole text, or a pattern. */
  readonly body?: object | string | RegExp
  /** True if the server closes the connection. If not, the next request on it must get its usual response. */
  readonly closes?: true
  /** The changes to the database by table. None by default. */
  readonly changes?: Changes
}

export interface HostileCase {
  readonly title: string
  readonly send: Bytes
  /** One response for each request. */
  readonly responses: ReadonlyArray<ExpectedResponse>
}

/** Cases with their own responses. */
export const listCases = <A>(
  send: (argument: A) => Bytes,
  ...rows: ReadonlyArray<readonly [title: string, argument: A, ...responses: ReadonlyArray<ExpectedResponse>]>
): ReadonlyArray<HostileCase> =>
  rows.map(([title, argument, ...responses]) => ({ title, send: send(argument), responses }))

/** Cases that all get the same response. */
export const casesWith = <A>(
  response: ExpectedResponse,
  send: (argument: A) => Bytes,
  byTitle: Readonly<Record<string, A>>
): ReadonlyArray<HostileCase> =>
  Object.entries(byTitle).map(([title, argument]) => ({ title, send: send(argument), responses: [response] }))
