import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { createServer } from "node:net"
import path from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../..", import.meta.url))

/** Keeps the compiled code of the project's programs between runs, so that they start in two thirds of the time. */
export const compileCacheEnv = { NODE_COMPILE_CACHE: path.join(root, "node_modules/.cache/programs") }

/**
 * A free port, from below those that systems choose themselves: until it is used, which may take seconds, it is given to no
 * outgoing connection, and to nobody who listens on any port.
 */
export const freePort = async (): Promise<number> => {
  const port = randomInt(20_000, 32_768)
  const isFree = await new Promise<boolean>((resolve) => {
    const server = createServer().once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
  return isFree ? port : freePort()
}

type Program = "src/main.ts" | "src/cli.ts"

/** Runs one of the programs of a copy of the project, as `runProgram` does. */
export const runProgramOf = (
  directory: string,
  program: Program,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  input: string | null = ""
) => {
  const child = spawn(process.execPath, [path.join(directory, program), ...args], {
    env: { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"], DEMO_EXAMPLES: "off", ...compileCacheEnv, ...env }
  })
  // A program that ends without reading its input closes the pipe.
  child.stdin.on("error", () => undefined)
  if (input !== null) child.stdin.end(input)
  let output = ""
  let errors = ""
  const waiting = new Set<() => void>()
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text
    for (const check of waiting) check()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
    for (const check of waiting) check()
  })
  const ended = new Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }>(
    (resolve) => {
      child.once("close", (code) => resolve({ code, output, errors }))
    }
  )
  /** Waits until what was printed matches; fails if the program ends before. */
  const until = (read: () => string) => (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const check = () => {
        const match = pattern.exec(read())
        if (match === null) return
        waiting.delete(check)
        resolve(match)
      }
      waiting.add(check)
      check()
      void ended.then(({ code }) => reject(new Error(`ended with ${code}: ${output}${errors}`)))
    })
  return {
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    stdin: child.stdin,
    /** Waits for standard error, where the service's greeting is. */
    printed: until(() => errors),
    /** Waits for standard output. */
    wrote: until(() => output)
  }
}

/** Runs one of the project's programs without the demo's examples, with no other environment variables but the given ones, `PATH` and `TMPDIR`. */
export const runProgram = (
  program: Program,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  /** Its standard input, or null for one that stays open. */
  input: string | null = ""
) => runProgramOf(root, program, args, env, input)
