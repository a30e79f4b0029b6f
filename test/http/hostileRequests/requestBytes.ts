import type { Bytes, Names } from "./hostileCase.ts"

type Body = string | Uint8Array

interface RequestParts {
  readonly headers?: ReadonlyArray<string>
  readonly body?: Body
  /** Leaves out Authorization. */
  readonly anonymous?: true
}

const placeholder = /\{(key|cookie|post|foreign|agent|agentId|viewer|viewerId|admin|invite|integration)\}/g

const fillIn = (text: string, names: Names): Buffer =>
  Buffer.from(text.replaceAll(placeholder, (_, name: keyof Names) => names[name]))

const encode = (body: Body, names: Names): Uint8Array => (typeof body === "string" ? fillIn(body, names) : body)

/** Bytes as they are, apart from placeholders such as `{key}` in strings. */
export const raw =
  (...parts: ReadonlyArray<Body>): Bytes =>
  (names) =>
    Buffer.concat(parts.map((part) => encode(part, names)))

/** A request that is well formed if its parts are. */
export const request =
  (line: string, { headers = [], body, anonymous }: RequestParts = {}): Bytes =>
  (names) => {
    const content = body === undefined ? [] : [encode(body, names)]
    const head = [
      `${line} HTTP/1.1`,
      "Host: service.test",
      ...(anonymous ? [] : ["Authorization: Bearer {key}"]),
      ...content.map(({ length }) => `Content-Length: ${length}`),
      ...headers,
      "",
      ""
    ]
    return Buffer.concat([fillIn(head.join("\r\n"), names), ...content])
  }

export const jsonType = "Content-Type: application/json"

export const get = (path: string) => request(`GET ${path}`)

/** Creates a post with these headers, by default from a valid body. */
export const createUnder = (headers: ReadonlyArray<string>, body: Body = validBody()) =>
  request("POST /v1/posts", { headers, body })

/** Creates a post from a body. */
export const create = (body: Body) => createUnder([jsonType], body)

/** A valid body for a new post, with members added or replaced. */
export const validBody = (members: object = {}): string =>
  JSON.stringify({ content: "Hello", platforms: ["twitter"], ...members })

export const createWith = (members: object) => create(validBody(members))

/** A valid body for a new post, with a member added as JSON text. */
export const bodyWithText = (name: string, json: string): string =>
  `{"content":"Hello","platforms":["twitter"],"${name}":${json}}`

export const createWithText =
  (name: string) =>
  (json: string): Bytes =>
    create(bodyWithText(name, json))

export const update = (members: object) =>
  request("PATCH /v1/posts/{post}", { headers: [jsonType], body: JSON.stringify(members) })

/** Validates a post. `rest` ends the headers and adds the body, unchanged. */
export const validate = (...rest: ReadonlyArray<string>) =>
  raw(`POST /v1/posts/validate HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n${jsonType}\r\n`, ...rest)

export const validateChunked = (chunks: string) => validate("Transfer-Encoding: chunked\r\n\r\n", chunks)
