import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"

// Loaded with `--import` before src/main.ts. Without it, a service with live platforms sends no webhooks to this
// machine.
registerHooks({
  load: (url, context, nextLoad) => {
    if (!url.endsWith("/src/config.ts")) return nextLoad(url, context)
    const source = readFileSync(new URL(url), "utf8")
    const changed = source.replace("reachesLoopback: isOwnSandbox", "reachesLoopback: true")
    if (changed === source) throw new Error("The configuration has no such setting")
    return { format: "module-typescript", source: changed, shortCircuit: true }
  }
})
