import type { Names } from "./case.ts"

type Body = string | Uint8Array

export interface Parts {
  readonly headers?: ReadonlyArray<string>
  readonly body?: Body
  /** Leaves Authorization out. */
  readonly anonymous?: true
}

const named = (text: string, names: Names): Buffer =>
  Buffer.from(text.replaceAll(/\{(key|cookie|post|foreign)\}/g, (_, name: keyof Names) => names[name]))

const bytesOf = (body: Body, names: Names): Uint8Array => (typeof body === "string" ? named(body, names) : body)

/** Bytes as they are, with what stands in braces replaced by what it names. */
export const raw =
  (...parts: ReadonlyArray<Body>) =>
  (names: Names): Uint8Array =>
    Buffer.concat(parts.map((part) => bytesOf(part, names)))

/** A request that is well formed, apart from what is put into it. */
export const request =
  (line: string, { headers = [], body, anonymous }: Parts = {}) =>
  (names: Names): Uint8Array => {
    const content = body === undefined ? [] : [bytesOf(body, names)]
    const head = [
      `${line} HTTP/1.1`,
      "Host: service.test",
      ...(anonymous ? [] : ["Authorization: Bearer {key}"]),
      ...content.map(({ length }) => `Content-Length: ${length}`),
      ...headers,
      "",
      ""
    ]
    return Buffer.concat([named(head.join("\r\n"), names), ...content])
  }

const json = "Content-Type: application/json"

/** Creates a post from a body that is meant to be JSON. */
export const creating = (body: Body, headers: ReadonlyArray<string> = [json]) =>
  request("POST /v1/posts", { headers, body })

/** A body that would do, with some members more or different. */
export const good = (members: object = {}): string =>
  JSON.stringify({ content: "Hello", platforms: ["twitter"], ...members })

/** A body that would do, with a member written as it is given. */
export const written = (name: string, value: string): string =>
  `{"content":"Hello","platforms":["twitter"],"${name}":${value}}`

export const changing = (members: object) =>
  request("PATCH /v1/posts/{post}", { headers: [json], body: JSON.stringify(members) })
