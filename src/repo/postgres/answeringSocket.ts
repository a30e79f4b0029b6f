import { Duration } from "effect"
import { connect, type Socket } from "node:net"
import { Duplex } from "node:stream"

const keepAliveDelay = Duration.toMillis(Duration.seconds(10))

/** As PostgreSQL's own client reads an address: `host` and `port` may stand in the query, and a path is a Unix socket's directory. */
const open = (url: URL): Socket => {
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname.replaceAll(/^\[|\]$/g, ""))
  const port = url.searchParams.get("port") ?? url.port
  return host.startsWith("/")
    ? connect({ path: `${host}/.s.PGSQL.${port || "5432"}` })
    : connect({
        host: host || "localhost",
        port: Number(port || "5432"),
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: keepAliveDelay
      })
}

/**
 * A connection to a PostgreSQL server that breaks when the server leaves something unanswered for longer than `patience`.
 * A server that is frozen or has vanished would be waited for without end: interruption does not reach what begins and
 * ends a transaction, and the network tells of neither.
 */
export class AnsweringSocket extends Duplex {
  readonly #socket: Socket
  readonly #patience: number

  constructor(url: URL, patience: Duration.Duration) {
    super()
    this.#patience = Duration.toMillis(patience)
    this.#socket = open(url)
      .on("data", (chunk) => {
        this.#socket.setTimeout(0)
        if (!this.push(chunk)) this.#socket.pause()
      })
      .on("timeout", () => {
        this.destroy(new Error(`PostgreSQL did not answer within ${Duration.toSeconds(patience)} seconds`))
      })
      .on("end", () => this.push(null))
      .on("error", (error) => this.destroy(error))
      .on("close", () => this.destroy())
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, written: (error?: Error | null) => void): void {
    this.#socket.setTimeout(this.#patience)
    this.#socket.write(chunk, written)
  }

  override _final(ended: () => void): void {
    this.#socket.end(ended)
  }

  override _destroy(error: Error | null, destroyed: (error: Error | null) => void): void {
    this.#socket.destroy()
    destroyed(error)
  }
}
