#!/usr/bin/env node
// The program of the built package: `social-publisher start` runs the service, everything else is a command.
await import("./checkNode.cjs")
const { enableCompileCache } = await import("node:module")
const { mapStacks } = await import("./mapStacks.mjs")

enableCompileCache()
try {
  if (process.argv[2] === "start") {
    await import("../service/compileSchemas.js")
    await import("../service/main.js")
  } else await import("../cli/cli.js")
} finally {
  // Not before: what is loaded reads a stack, which names a file with a large map.
  mapStacks()
}
