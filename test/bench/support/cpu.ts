import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { childrenOf } from "../../chaos/support/database.ts"

/** The kernel counts CPU time in hundredths of a second. */
const microsPerTick = 10_000

/** The CPU time of a process and of its ended children, in microseconds. */
const readCpu = async (pid: number) => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const at = (index: number) => Number(fields[index] ?? 0) * microsPerTick
  return { own: at(11) + at(12), endedChildren: at(13) + at(14) }
}

/** The CPU time of processes in microseconds, from /proc, which only Linux has. */
const cpuOf = async (pids: ReadonlyArray<number>) =>
  (await Promise.all(pids.map(readCpu))).reduce((sum, { own }) => sum + own, 0)

/**
 * The CPU time of a PostgreSQL server in microseconds: of all connections, including ended connections, and of its own
 * workers.
 */
const cpuOfServer = async (postmaster: number) => {
  const { endedChildren, own } = await readCpu(postmaster)
  return own + endedChildren + (await cpuOf(await childrenOf(postmaster)))
}

/** Measures the CPU time of processes and of PostgreSQL while an effect runs, in microseconds. */
export const withCpu = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  pids: ReadonlyArray<number>,
  postmaster: number
) {
  const read = Effect.promise(async () => ({ node: await cpuOf(pids), postgres: await cpuOfServer(postmaster) }))
  const before = yield* read
  const result = yield* effect
  const after = yield* read
  return { result, node: after.node - before.node, postgres: after.postgres - before.postgres }
})
