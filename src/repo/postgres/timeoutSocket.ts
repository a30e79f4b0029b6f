import { Clock, Duration } from "effect"
import { connect, type Socket } from "node:net"
import { Duplex } from "node:stream"

const keepAliveDelay = Duration.toMillis(Duration.seconds(10))

/** Reads an address like libpq: `host` and `port` may be query parameters, and a path is a Unix socket's directory. */
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

/** The network runs on real time, whatever clock a test has set. */
const clock = Clock.Clock.defaultValue()

/**
 * Destroys a connection to PostgreSQL once a request is unanswered for `timeout`. Otherwise an unreachable server would
 * block forever: interruption does not reach BEGIN and COMMIT, and the network does not report the loss.
 */
export class TimeoutSocket extends Duplex {
  readonly #socket: Socket
  readonly #timeout: number
  readonly #onTimeout: (silentSince: number) => void
  /** Since this time the server has sent nothing. Undefined if no response is awaited. */
  #silentSince: number | undefined
  #lastReceived = -Infinity

  constructor(url: URL, timeout: Duration.Duration, onTimeout: (silentSince: number) => void = () => undefined) {
    super()
    this.#timeout = Duration.toMillis(timeout)
    this.#onTimeout = onTimeout
    this.#socket = open(url)
      .on("data", (chunk) => {
        this.#socket.setTimeout(0)
        this.#silentSince = undefined
        this.#lastReceived = clock.currentTimeMillisUnsafe()
        if (!this.push(chunk)) this.#socket.pause()
      })
      .on("timeout", () => this.#giveUp())
      .on("end", () => this.push(null))
      .on("error", (error) => this.destroy(error))
      .on("close", () => this.destroy())
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const now = clock.currentTimeMillisUnsafe()
    this.#silentSince ??= now
    // Checked here: each further statement on a shared connection postpones the socket's own timeout.
    if (now - this.#silentSince > this.#timeout) this.#giveUp()
    this.#socket.setTimeout(this.#timeout)
    this.#socket.write(chunk, done)
  }

  /**
   * Called by the sender, which alone knows if more responses are awaited. Otherwise the first response counts for all
   * requests sent together.
   */
  awaitMore(isAwaited: boolean): void {
    this.#silentSince = isAwaited ? clock.currentTimeMillisUnsafe() : undefined
    this.#socket.setTimeout(isAwaited ? this.#timeout : 0)
  }

  destroyIfUnused(moment: number): void {
    if (this.#silentSince === undefined && this.#lastReceived <= moment) this.destroy()
  }

  #giveUp(): void {
    if (this.destroyed) return
    this.#onTimeout(this.#silentSince ?? clock.currentTimeMillisUnsafe())
    this.destroy(new Error(`PostgreSQL did not respond within ${this.#timeout / 1000} seconds`))
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}
