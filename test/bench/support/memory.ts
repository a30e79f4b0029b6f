import { Effect } from "effect"
import { readFile } from "node:fs/promises"

const readMegabytes = async (pid: number, field: "VmRSS" | "VmHWM"): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8")
  return (Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024) / 1e6
}

/** The resident memory of a process in megabytes. */
export const residentMegabytes = (pid: number) => Effect.promise(() => readMegabytes(pid, "VmRSS"))

const childrenOf = async (pid: number): Promise<ReadonlyArray<number>> => {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")
  return list.trim().split(/\s+/).filter(Boolean).map(Number)
}

/** The highest memory of a process, and of each of its children, while an effect runs, in megabytes. */
export const watchMemory = Effect.fnUntraced(function* <A, E, R>(pid: number, effect: Effect.Effect<A, E, R>) {
  const most = { service: 0, child: 0 }
  const look = Effect.promise(async () => {
    most.service = Math.max(most.service, await readMegabytes(pid, "VmRSS"))
    for (const child of await childrenOf(pid)) {
      // The child may have ended in the meantime.
      const size = await readMegabytes(child, "VmHWM").catch(() => 0)
      if (Number.isFinite(size)) most.child = Math.max(most.child, size)
    }
  })
  const watching = Effect.forever(Effect.andThen(look, Effect.sleep("20 millis")))
  const result = yield* Effect.raceFirst(effect, watching)
  return { result, most }
})
