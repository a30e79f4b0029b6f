import { Stream } from "effect"
import { HttpBody } from "effect/http"
import type { Form } from "../meta/dialect.ts"

interface Part<E> {
  readonly name: string
  readonly bytes: Stream.Stream<Uint8Array, E>
  /** In bytes. */
  readonly size: number
}

const encoder = new TextEncoder()

/**
 * A form with a large file at its end, which is never in memory as a whole. The boundary must not be in the file: the
 * file's own hash can't be.
 */
export const multipart = <E>(form: Form, { bytes, name, size }: Part<E>, boundary: string): HttpBody.Stream => {
  const field = ([key, value]: readonly [string, string]) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`
  const head = encoder.encode(
    `${Object.entries(form).map(field).join("")}--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`
  )
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`)
  return HttpBody.stream(
    Stream.make(head).pipe(Stream.concat(bytes), Stream.concat(Stream.make(tail))),
    `multipart/form-data; boundary=${boundary}`,
    head.byteLength + size + tail.byteLength
  )
}
