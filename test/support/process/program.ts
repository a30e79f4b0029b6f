import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { createServer } from "node:net"
import path from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../..", import.meta.url))

/** Keeps compiled code between runs, so that programs start in two thirds of the time. */
export const compileCacheEnv = { NODE_COMPILE_CACHE: path.join(root, "node_modules/.cache/programs") }

/**
 * A free port below the range from which systems choose. The caller can take seconds to use it, because the system
 * never assigns it.
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

/** For a copy of the project in `directory`. */
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
  /** Waits until the output matches; fails if the program ends first. */
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
    /** Waits for text on standard error, such as the greeting. */
    printed: until(() => errors),
    /** Waits for text on standard output. */
    wrote: until(() => output)
  }
}

/** Runs a program without the demo's examples, with only the given environment variables, `PATH` and `TMPDIR`. */
export const runProgram = (
  program: Program,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  /** Standard input; null keeps it open. */
  input: string | null = ""
) => runProgramOf(root, program, args, env, input)
