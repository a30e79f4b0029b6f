// Runs the service from its sources, and again after each edit of them: node .bin/dev.mjs [--empty]
import { spawn } from "node:child_process"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { stateOfFiles } from "../src/dev/stateOfFiles.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** In milliseconds. */
const interval = 400

/** The dashboard is bundled by the running service. */
const readState = () => stateOfFiles(root, "{src,migrations}/**/*.ts", ["src/dashboard/**"])

const start = () => {
  const child = spawn(process.execPath, ["-r", "./.bin/checkNode.cjs", "src/dev.ts", ...process.argv.slice(2)], {
    cwd: root,
    stdio: "inherit"
  })
  const ended = new Promise((resolve) => child.once("close", resolve))
  return { child, ended }
}

const stopping = new AbortController()
let service = start()

// A terminal's Ctrl-C reaches the service as well, which ends by itself.
process.on("SIGINT", () => stopping.abort())
const stop = () => {
  stopping.abort()
  service.child.kill("SIGTERM")
}
process.on("SIGTERM", stop)
process.on("SIGHUP", stop)

let state = readState()
while (!stopping.signal.aborted) {
  await setTimeout(interval)
  const current = readState()
  if (current === state || stopping.signal.aborted) continue
  state = current
  process.stderr.write("\nEdited: starting again\n")
  service.child.kill("SIGTERM")
  await service.ended
  if (!stopping.signal.aborted) service = start()
}
await service.ended
