import { Effect, Layer, Metric } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"

const residentMemory = Metric.gauge("process_resident_memory_bytes", {
  description: "Memory that the process occupies"
})

const heapUsed = Metric.gauge("nodejs_heap_used_bytes", {
  description: "Of it, what JavaScript's values take"
})

const processorTime = Metric.counter("process_cpu_seconds_total", {
  description: "Processor time that the process has used"
})

const eventLoopLag = Metric.gauge("nodejs_eventloop_lag_p99_seconds", {
  description: "How late timers ran since the last scrape, all but the worst hundredth"
})

const nothing = () => undefined

/** Figures that are read when they are asked for. */
export const processMetrics = Layer.effectDiscard(
  Effect.gen(function* () {
    const context = yield* Effect.context()
    const gauge = (metric: Metric.Gauge<number>, value: () => number) =>
      Metric.registerUnsafe(metric, context, { get: () => ({ value: value() }), update: nothing, modify: nothing })

    const resolution = 10
    const delay = monitorEventLoopDelay({ resolution })
    delay.enable()
    const lag = () => {
      const seconds = Math.max(0, delay.percentile(99) / 1e9 - resolution / 1000)
      delay.reset()
      return seconds
    }

    const registered = [
      gauge(residentMemory, () => process.memoryUsage.rss()),
      gauge(heapUsed, () => process.memoryUsage().heapUsed),
      gauge(eventLoopLag, lag),
      Metric.registerUnsafe(processorTime, context, {
        get: () => {
          const { system, user } = process.cpuUsage()
          return { count: (system + user) / 1e6, incremental: true }
        },
        update: nothing,
        modify: nothing
      })
    ]
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        delay.disable()
        for (const one of registered) one.remove()
      })
    )
  })
)
