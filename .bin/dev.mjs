// Runs the service from its sources, and again after each edit of them: node .bin/dev.mjs [--empty]
import { spawn } from "node:child_process"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { stateOfFiles } from "../src/dev/stateOfFiles.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** In milliseconds. */
const interval = 400

/** How long the service has to end by itself, in milliseconds: an edit may have made it loop. */
const grace = 10_000

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

/** Sends the signal also after a terminal's Ctrl-C, which reaches the service by itself: it ends once. */
const end = async () => {
  service.child.kill("SIGTERM")
  await Promise.race([service.ended, setTimeout(grace, undefined, { ref: false })])
  if (service.child.kill("SIGKILL")) process.stderr.write("The service did not end by itself, and was killed\n")
  await service.ended
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopping.abort())

let state = readState()
while (!stopping.signal.aborted) {
  await setTimeout(interval, undefined, { signal: stopping.signal }).catch(() => undefined)
  const current = readState()
  if (current === state || stopping.signal.aborted) continue
  state = current
  process.stderr.write("\nEdited: starting again\n")
  await end()
  if (!stopping.signal.aborted) service = start()
}
await end()
