import { Deferred, Effect } from "effect"
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Ready, Report, StandInMessage, StandInOptions } from "./standInMessages.ts"

const script = fileURLToPath(new URL("standIn.ts", import.meta.url))

/** The one platform that all replicas share, in a process of its own: it outlives them and counts what it takes. */
export const standInProcess = Effect.fn("standInProcess")(function* (options: StandInOptions) {
  const ready = yield* Deferred.make<Ready>()
  let report = yield* Deferred.make<Report>()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => fork(script, [JSON.stringify(options)], { stdio: ["ignore", "inherit", "inherit", "ipc"] })),
    (process) => Effect.sync(() => process.kill("SIGKILL"))
  )
  child.on("message", (message: StandInMessage) => {
    if (message._tag === "Ready") Deferred.doneUnsafe(ready, Effect.succeed(message))
    else Deferred.doneUnsafe(report, Effect.succeed(message))
  })
  child.once("exit", (code) => Deferred.doneUnsafe(ready, Effect.die(new Error(`The stand-in ended with ${code}`))))
  const { accounts, url } = yield* Deferred.await(ready)
  return {
    accounts,
    url,
    /** Everything that arrived, and everything that stands on the timelines. */
    report: Effect.gen(function* () {
      report = yield* Deferred.make<Report>()
      child.send("report")
      return yield* Deferred.await(report)
    })
  }
})
