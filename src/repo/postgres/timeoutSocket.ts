import { Clock, Duration } from "effect"
import { connect, type Socket } from "node:net"
import { Duplex } from "node:stream"
import { startRealTimer } from "./realTimer.ts"

const keepAliveDelay = Duration.toMillis(Duration.seconds(10))

/** Reads the URL as libpq does: query parameters can replace host and port, and a path is a Unix socket's directory. */
const connectTo = (url: URL): Socket => {
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

/** The network runs in real time, even if a test has set a clock. */
const clock = Clock.Clock.defaultValue()

/**
 * A connection to PostgreSQL that destroys itself once a request is unanswered for `timeout`. Otherwise callers would
 * wait forever for an unreachable server, because BEGIN and COMMIT can't be interrupted, and the network may not report
 * the loss.
 */
export class TimeoutSocket extends Duplex {
  readonly #socket: Socket
  readonly #timeout: number
  readonly #onTimeout: (waitingSince: number) => void
  /** The start of the wait for a response; undefined if none is awaited. */
  #waitingSince: number | undefined
  #stopTimer = () => {}
  #lastReceived = -Infinity

  constructor(url: URL, timeout: Duration.Duration, onTimeout: (waitingSince: number) => void = () => undefined) {
    super()
    this.#timeout = Duration.toMillis(timeout)
    this.#onTimeout = onTimeout
    this.#socket = connectTo(url)
      .on("data", (chunk) => {
        this.#endWait()
        this.#lastReceived = clock.currentTimeMillisUnsafe()
        if (!this.push(chunk)) this.#socket.pause()
      })
      .on("end", () => this.push(null))
      .on("error", (error) => this.destroy(error))
      .on("close", () => this.destroy())
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    // Not the socket's own timeout, because each write to a busy connection would restart it.
    if (this.#waitingSince === undefined) this.#beginWait()
    this.#socket.write(chunk, done)
  }

  /**
   * Restarts or ends the wait. A sender of several requests calls this after each response. Otherwise the first
   * response would end the wait.
   */
  awaitMore(isAwaited: boolean): void {
    this.#endWait()
    if (isAwaited && !this.destroyed) this.#beginWait()
  }

  #beginWait(): void {
    this.#waitingSince = clock.currentTimeMillisUnsafe()
    this.#stopTimer = startRealTimer(this.#timeout, () => this.#giveUp())
  }

  #endWait(): void {
    this.#waitingSince = undefined
    this.#stopTimer()
  }

  /** Unused: awaits no response, and received nothing after `moment`. */
  destroyIfUnused(moment: number): void {
    if (this.#waitingSince === undefined && this.#lastReceived <= moment) this.destroy()
  }

  #giveUp(): void {
    if (this.destroyed) return
    this.#onTimeout(this.#waitingSince ?? clock.currentTimeMillisUnsafe())
    this.destroy(new Error(`PostgreSQL did not respond within ${this.#timeout / 1000} seconds`))
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#stopTimer()
    this.#socket.destroy()
    done(error)
  }
}
