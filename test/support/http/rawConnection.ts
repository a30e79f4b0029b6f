import { Effect, type Scope } from "effect"
import net from "node:net"
import tls from "node:tls"

export interface RawResponse {
  readonly status: number
  /** The headers by lowercase name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A TCP or TLS connection that sends bytes unchanged. */
export interface RawConnection {
  readonly send: (bytes: string | Uint8Array) => void
  /** The next response, or undefined if the server closes the connection first. */
  readonly response: Effect.Effect<RawResponse | undefined>
  readonly closed: Effect.Effect<void>
}

const parseHead = (head: string) => {
  const [first = "", ...lines] = head.split("\r\n")
  const fields = lines.map((line) => [
    line.slice(0, line.indexOf(":")).toLowerCase(),
    line.slice(line.indexOf(":") + 1).trim()
  ])
  return {
    status: Number(/^HTTP\/1\.1 (\d+) /.exec(first)?.[1]),
    headers: Object.fromEntries(fields) as Record<string, string>
  }
}

/** The first complete response, without interim (1xx) responses. */
const takeResponse = (received: Buffer): { readonly response: RawResponse; readonly rest: Buffer } | undefined => {
  const end = received.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const { status, headers } = parseHead(received.subarray(0, end).toString("latin1"))
  const rest = received.subarray(end + 4)
  if (status < 200) return takeResponse(rest)
  const length = Number(headers["content-length"] ?? 0)
  if (rest.length < length) return undefined
  return { response: { status, headers, text: rest.subarray(0, length).toString() }, rest: rest.subarray(length) }
}

export interface ConnectOptions {
  readonly tls?: tls.ConnectionOptions
  readonly localAddress?: string
  readonly unread?: boolean
}

/** The connection is closed with the scope. */
export const connectRaw = (
  url: string,
  options: ConnectOptions = {}
): Effect.Effect<RawConnection, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const { hostname, port } = new URL(url)
    const socket = yield* Effect.acquireRelease(
      Effect.callback<net.Socket, Error>((resume) => {
        const where = { host: hostname, port: Number(port), ...options }
        const connecting = options.tls === undefined ? net.connect(where) : tls.connect({ ...where, ...options.tls })
        connecting.once("error", (error) => resume(Effect.fail(error)))
        connecting.once(options.tls === undefined ? "connect" : "secureConnect", () =>
          resume(Effect.succeed(connecting))
        )
      }),
      (connecting) => Effect.sync(() => connecting.destroy())
    )
    let received: Buffer = Buffer.alloc(0)
    let isClosed = false
    const waiting = new Set<() => void>()
    const notifyWaiting = () => {
      for (const check of waiting) check()
    }
    socket.on("error", () => {})
    if (options.unread === true) socket.pause()
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk])
      notifyWaiting()
    })
    socket.on("end", () => socket.end())
    socket.on("close", () => {
      isClosed = true
      notifyWaiting()
    })
    const waitFor = <A>(read: () => A | undefined) =>
      Effect.callback<A>((resume) => {
        const check = () => {
          const found = read()
          if (found === undefined) return
          waiting.delete(check)
          resume(Effect.succeed(found))
        }
        waiting.add(check)
        check()
        return Effect.sync(() => waiting.delete(check))
      })
    return {
      send: (bytes) => {
        socket.write(bytes)
      },
      response: Effect.map(
        waitFor(() => {
          const taken = takeResponse(received)
          if (taken !== undefined) received = taken.rest
          return taken ?? (isClosed ? "closed" : undefined)
        }),
        (taken) => (taken === "closed" ? undefined : taken.response)
      ),
      closed: Effect.asVoid(waitFor(() => (isClosed ? true : undefined)))
    }
  })
