import { Effect, Layer, Metric } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"

const residentMemory = Metric.gauge("process_resident_memory_bytes", {
  description: "Resident memory of the process"
})

const heapUsed = Metric.gauge("nodejs_heap_used_bytes", {
  description: "Used part of the JavaScript heap"
})

const cpuTime = Metric.counter("process_cpu_seconds_total", {
  description: "CPU time that the process has used, user and system"
})

const eventLoopLag = Metric.gauge("nodejs_eventloop_lag_p99_seconds", {
  description: "99th percentile of the event loop's lag since the last scrape"
})

const noOp = () => undefined

export const processMetricsLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    const context = yield* Effect.context()
    const registerGauge = (metric: Metric.Gauge<number>, measure: () => number) =>
      Metric.registerUnsafe(metric, context, { get: () => ({ value: measure() }), update: noOp, modify: noOp })

    /** In milliseconds. Every delay that the monitor reports includes it. */
    const resolution = 10
    const delay = monitorEventLoopDelay({ resolution })
    delay.enable()
    const measureLag = () => {
      const seconds = Math.max(0, delay.percentile(99) / 1e9 - resolution / 1000)
      delay.reset()
      return seconds
    }

    const registrations = [
      registerGauge(residentMemory, () => process.memoryUsage.rss()),
      registerGauge(heapUsed, () => process.memoryUsage().heapUsed),
      registerGauge(eventLoopLag, measureLag),
      Metric.registerUnsafe(cpuTime, context, {
        get: () => {
          const { system, user } = process.cpuUsage()
          return { count: (system + user) / 1e6, incremental: true }
        },
        update: noOp,
        modify: noOp
      })
    ]
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        delay.disable()
        for (const registration of registrations) registration.remove()
      })
    )
  })
)
