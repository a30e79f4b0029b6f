#!/usr/bin/env node
// The program of the built package: `social-publisher start` runs the service, everything else is a command.
await import("./checkNode.cjs")
const { enableCompileCache, setSourceMapsSupport } = await import("node:module")

enableCompileCache()
setSourceMapsSupport(true)
await (process.argv[2] === "start" ? import("../service/main.js") : import("../cli/cli.js"))
