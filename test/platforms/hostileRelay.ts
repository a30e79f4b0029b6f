import * as NodeHttp from "node:http"
import { buffer } from "node:stream/consumers"
import { Effect } from "effect"

/** A server's response. */
export interface Answer {
  readonly status: number
  readonly body: Buffer
}

/** Changes the responses to requests for one path. */
export type Change = (path: string, answer: Answer) => Answer

export const jsonAnswer = (status: number, value: unknown): Answer => ({
  status,
  body: Buffer.from(JSON.stringify(value))
})

/** The parts of a JSON value, by their paths. The first part is the value itself. */
export const partsOf = (value: unknown): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value === "object" && value !== null
    ? [[], ...Object.entries(value).flatMap(([name, part]) => partsOf(part).map((rest) => [name, ...rest]))]
    : [[]]

/** A JSON value with one of its parts replaced. */
export const replacePart = (value: unknown, [name, ...rest]: ReadonlyArray<string>, by: unknown): unknown => {
  if (name === undefined) return by
  const entries = Object.entries(value ?? {}).map(([key, part]) => [
    key,
    key === name ? replacePart(part, rest, by) : part
  ])
  return Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries)
}

/** Forwards requests to a server, and changes its responses. */
export const hostileRelay = Effect.fn(function* (target: string) {
  let change: Change = (_, answer) => answer
  let open = 0
  const server = NodeHttp.createServer((request, response) => {
    open++
    response.once("close", () => open--)
    const respond = async () => {
      const url = new URL(request.url ?? "/", target)
      const body = await buffer(request)
      const { authorization, "content-type": contentType } = request.headers
      const answer = await fetch(url, {
        method: request.method ?? "GET",
        headers: {
          ...(authorization === undefined ? {} : { authorization }),
          ...(contentType === undefined ? {} : { "content-type": contentType })
        },
        ...(request.method === "POST" ? { body } : {})
      })
      const changed = change(url.pathname, { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) })
      response.writeHead(changed.status, { "content-type": "application/json" }).end(changed.body)
    }
    respond().catch(() => response.destroy())
  })
  const url = yield* Effect.acquireRelease(
    Effect.callback<string>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed(`http://127.0.0.1:${port}`))
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  /** Runs an effect while responses are changed. */
  const during = <A, E, R>(next: Change, effect: Effect.Effect<A, E, R>) =>
    Effect.andThen(
      Effect.sync(() => (change = next)),
      Effect.ensuring(
        effect,
        Effect.sync(() => (change = (_, answer) => answer))
      )
    )
  /** True if a request waits for its response. */
  const isBusy = Effect.sync(() => open > 0)
  return { url, during, isBusy }
})
