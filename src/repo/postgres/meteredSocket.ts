import { Clock, type Duration, Effect, Metric } from "effect"
import { TimeoutSocket } from "./timeoutSocket.ts"

const openConnections = Metric.gauge("database_connections", {
  description:
    "Connections to PostgreSQL that this process has; one listens for wake-ups, and one renews the lease of the process"
})

const maxOpenConnections = Metric.gauge("database_connections_max", {
  description: "Connections to PostgreSQL that this process may have"
})

const busySeconds = Metric.counter("database_busy_seconds_total", {
  description:
    "Time that connections spent waiting for PostgreSQL's responses; its rate is the average number of busy connections",
  incremental: true
})

interface Meter {
  readonly now: () => bigint
  readonly addBusy: (seconds: number) => void
}

/** Measures from a request's first byte to its response's first byte, or to the last response of several requests. */
class MeteredSocket extends TimeoutSocket {
  readonly #meter: Meter
  #busySince: bigint | undefined

  constructor(url: URL, timeout: Duration.Duration, meter: Meter, onTimeout: (waitingSince: number) => void) {
    super(url, timeout, onTimeout)
    this.#meter = meter
  }

  override _write(chunk: Uint8Array, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#busySince ??= this.#meter.now()
    super._write(chunk, encoding, done)
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    this.#stopMeasuring()
    return super.push(chunk, encoding)
  }

  override awaitMore(isAwaited: boolean): void {
    this.#stopMeasuring()
    if (isAwaited) this.#busySince = this.#meter.now()
    super.awaitMore(isAwaited)
  }

  #stopMeasuring(): void {
    if (this.#busySince === undefined) return
    this.#meter.addBusy(Number(this.#meter.now() - this.#busySince) / 1e9)
    this.#busySince = undefined
  }
}

/**
 * If a connection times out, unused connections are closed too. The network has probably lost them, and each would make
 * a statement wait for the whole timeout.
 */
export const makeMeteredSocket = Effect.fnUntraced(function* (maxConnections: number, timeout: Duration.Duration) {
  const context = yield* Effect.context()
  const clock = yield* Clock.Clock
  const sockets = new Set<MeteredSocket>()
  const registration = Metric.registerUnsafe(openConnections, context, {
    get: () => ({ value: sockets.size }),
    update: () => undefined,
    modify: () => undefined
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => registration.remove()))
  yield* Metric.update(maxOpenConnections, maxConnections)
  // Starts the series at zero: Prometheus' increase() misses a series that first appears above it.
  yield* Metric.update(busySeconds, 0)
  const meter: Meter = {
    now: () => clock.monotonicTimeNanosUnsafe(),
    addBusy: (seconds) => busySeconds.updateUnsafe(seconds, context)
  }
  return (url: URL) => {
    const socket = new MeteredSocket(url, timeout, meter, (waitingSince) => {
      for (const other of sockets) other.destroyIfUnused(waitingSince)
    })
    sockets.add(socket)
    return socket.once("close", () => sockets.delete(socket))
  }
})
