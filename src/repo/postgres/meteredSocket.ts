import { Clock, type Duration, Effect, Metric } from "effect"
import { AnsweringSocket } from "./answeringSocket.ts"

const open = Metric.gauge("database_connections", {
  description: "Connections to PostgreSQL that this process has; one of them listens for calls"
})

const most = Metric.gauge("database_connections_max", {
  description: "Connections to PostgreSQL that this process may have"
})

const busy = Metric.counter("database_busy_seconds_total", {
  description: "Time that connections spent waiting for PostgreSQL's answer; its rate is how many are at it on average",
  incremental: true
})

interface Meter {
  readonly now: () => bigint
  readonly answered: (seconds: number) => void
}

class MeteredSocket extends AnsweringSocket {
  readonly #meter: Meter
  #askedAt: bigint | undefined

  constructor(url: URL, patience: Duration.Duration, meter: Meter) {
    super(url, patience)
    this.#meter = meter
  }

  override _write(chunk: Uint8Array, encoding: BufferEncoding, written: (error?: Error | null) => void): void {
    this.#askedAt ??= this.#meter.now()
    super._write(chunk, encoding, written)
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (this.#askedAt !== undefined) {
      this.#meter.answered(Number(this.#meter.now() - this.#askedAt) / 1e9)
      this.#askedAt = undefined
    }
    return super.push(chunk, encoding)
  }
}

/** Makes the way to open a pool's connections, which counts them and what they are used. */
export const makeMeteredSocket = Effect.fnUntraced(function* (maxConnections: number, patience: Duration.Duration) {
  const context = yield* Effect.context()
  const clock = yield* Clock.Clock
  const sockets = new Set<MeteredSocket>()
  const registration = Metric.registerUnsafe(open, context, {
    get: () => ({ value: sockets.size }),
    update: () => undefined,
    modify: () => undefined
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => registration.remove()))
  yield* Metric.update(most, maxConnections)
  yield* Metric.update(busy, 0)
  const meter: Meter = {
    now: () => clock.monotonicTimeNanosUnsafe(),
    answered: (seconds) => busy.updateUnsafe(seconds, context)
  }
  return (url: URL) => {
    const socket = new MeteredSocket(url, patience, meter)
    sockets.add(socket)
    return socket.once("close", () => sockets.delete(socket))
  }
})
