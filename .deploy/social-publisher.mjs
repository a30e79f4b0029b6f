#!/usr/bin/env node
// The program of the built package: `social-publisher start` runs the service, everything else is a command.
await import("./checkNode.cjs")
const { enableCompileCache, setSourceMapsSupport } = await import("node:module")

enableCompileCache()
setSourceMapsSupport(true)
if (process.argv[2] === "start") {
  await import("../service/compileSchemas.js")
  await import("../service/main.js")
} else await import("../cli/cli.js")
