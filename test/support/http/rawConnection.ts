import { Effect, type Scope } from "effect"
import net from "node:net"
import tls from "node:tls"

/** An answer as it came off the wire. */
export interface RawResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A connection that sends bytes as they are. */
export interface RawConnection {
  readonly send: (bytes: string | Uint8Array) => void
  /** The next answer, or none where the server closes the connection first. */
  readonly answer: Effect.Effect<RawResponse | undefined>
  /** Waits until the server has closed the connection. */
  readonly closed: Effect.Effect<void>
}

const parseHead = (head: string) => {
  const [first = "", ...lines] = head.split("\r\n")
  const fields = lines.map((line) => [
    line.slice(0, line.indexOf(":")).toLowerCase(),
    line.slice(line.indexOf(":") + 1).trim()
  ])
  return { status: Number(first.split(" ")[1]), headers: Object.fromEntries(fields) as Record<string, string> }
}

/** The first whole answer in what was received, and what comes after it. Interim answers are left out. */
const takeAnswer = (received: Buffer): { readonly answer: RawResponse; readonly rest: Buffer } | undefined => {
  const end = received.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const { status, headers } = parseHead(received.subarray(0, end).toString("latin1"))
  const rest = received.subarray(end + 4)
  if (status < 200) return takeAnswer(rest)
  const length = Number(headers["content-length"] ?? 0)
  if (rest.length < length) return undefined
  return { answer: { status, headers, text: rest.subarray(0, length).toString() }, rest: rest.subarray(length) }
}

export interface ConnectOptions {
  /** Makes it a TLS connection. */
  readonly tls?: tls.ConnectionOptions
  /** The address to come from. */
  readonly localAddress?: string
  /** Reads nothing of what the server sends. */
  readonly unread?: boolean
}

/** Connects to the server at an address; the connection ends with the scope. */
export const connectRaw = (
  url: string,
  options: ConnectOptions = {}
): Effect.Effect<RawConnection, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const { hostname, port } = new URL(url)
    const socket = yield* Effect.acquireRelease(
      Effect.callback<net.Socket, Error>((resume) => {
        const where = { host: hostname, port: Number(port), ...options }
        const made = options.tls === undefined ? net.connect(where) : tls.connect({ ...where, ...options.tls })
        made.once("error", (error) => resume(Effect.fail(error)))
        made.once(options.tls === undefined ? "connect" : "secureConnect", () => resume(Effect.succeed(made)))
      }),
      (made) => Effect.sync(() => made.destroy())
    )
    let received: Buffer = Buffer.alloc(0)
    let isClosed = false
    const heard = new Set<() => void>()
    const tell = () => {
      for (const each of heard) each()
    }
    socket.on("error", () => {})
    if (options.unread === true) socket.pause()
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk])
      tell()
    })
    socket.on("end", () => socket.end())
    socket.on("close", () => {
      isClosed = true
      tell()
    })
    const when = <A>(look: () => A | undefined) =>
      Effect.callback<A>((resume) => {
        const check = () => {
          const found = look()
          if (found === undefined) return
          heard.delete(check)
          resume(Effect.succeed(found))
        }
        heard.add(check)
        check()
        return Effect.sync(() => heard.delete(check))
      })
    return {
      send: (bytes) => {
        socket.write(bytes)
      },
      answer: Effect.map(
        when(() => {
          const taken = takeAnswer(received)
          if (taken !== undefined) received = taken.rest
          return taken ?? (isClosed ? "closed" : undefined)
        }),
        (taken) => (taken === "closed" ? undefined : taken.answer)
      ),
      closed: Effect.asVoid(when(() => (isClosed ? true : undefined)))
    }
  })
