import { Effect, Schema } from "effect"
import { fork } from "node:child_process"
import { once } from "node:events"
import path from "node:path"
import { compileCacheEnv } from "../../support/process/program.ts"

const bench = path.join(import.meta.dirname, "..")

/**
 * Starts a script of test/bench in a separate process, so that its CPU time is not counted as another's. Waits until
 * the script calls `answerParent`.
 */
export const startScript = Effect.fn("startScript")(function* (
  script: string,
  env: Readonly<Record<string, string>> = {}
) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      fork(path.join(bench, script), {
        env: { PATH: process.env["PATH"], NODE_ENV: "production", ...compileCacheEnv, ...env },
        stdio: ["ignore", "ignore", "inherit", "ipc"]
      })
    ),
    (started) =>
      Effect.promise(async () => {
        const ended = started.exitCode === null && started.signalCode === null ? once(started, "exit") : undefined
        started.kill("SIGKILL")
        await ended
      })
  )

  const nextMessage = Effect.callback<unknown>((resume) => {
    const settle = (message: Effect.Effect<unknown>) => {
      child.off("message", onMessage).off("exit", onExit)
      resume(message)
    }
    const onMessage = (message: unknown) => settle(Effect.succeed(message))
    const onExit = (code: number | null) => settle(Effect.die(new Error(`${script} exited with ${code}`)))
    child.once("message", onMessage).once("exit", onExit)
  })

  /** Sends a question as JSON to the script, one question at a time. */
  const ask = <A, I>(question: unknown, Answer: Schema.Codec<A, I>) =>
    Effect.sync(() => child.send(JSON.stringify(question))).pipe(
      Effect.andThen(nextMessage),
      Effect.flatMap(Schema.decodeUnknownEffect(Answer)),
      Effect.orDie
    )

  yield* nextMessage
  return { pid: child.pid ?? 0, ask }
})

export type Script = Effect.Success<ReturnType<typeof startScript>>

/** The answer of scripts that serve HTTP: the port on which they listen. */
export const Listening = Schema.Struct({ port: Schema.Int })

export const Done = Schema.Struct({ at: Schema.Finite })
