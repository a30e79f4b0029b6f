// Preloaded before the programs, which are TypeScript: a Node that can't run that would end with a stack.
"use strict"
// oxlint-disable-next-line typescript/no-require-imports -- a preloaded script is CommonJS on every Node
const { node } = require("../package.json").engines

const [major, minor] = process.versions.node.split(".").map(Number)
const [requiredMajor, requiredMinor] = node.replace(">=", "").split(".").map(Number)

if (major < requiredMajor || (major === requiredMajor && minor < requiredMinor)) {
  process.stderr.write(`This needs Node ${node}, and this is ${process.versions.node}: ${process.execPath}\n`)
  process.exit(1)
}
