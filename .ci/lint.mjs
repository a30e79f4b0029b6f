// The rules that oxlint does not have, foremost who may import what in src.
import { dirname, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"

const src = fileURLToPath(new URL("../src", import.meta.url))

const parts = ["api", "config", "domain", "http", "notifier", "platforms", "publishing", "repo", "telemetry"]
// The files beside main.ts and cli.ts wire the parts too.
const wiring = ["demo", "platformsConfig", "storage"]

const mayImport = {
  main: [...parts, ...wiring],
  cli: [...parts, ...wiring],
  demo: ["config", "domain", "platforms", "repo"],
  platformsConfig: ["config", "platforms"],
  storage: ["config", "notifier", "repo"],
  config: ["domain"],
  http: ["api", "domain", "notifier", "platforms", "repo"],
  publishing: ["domain", "notifier", "platforms", "repo"],
  notifier: ["domain", "repo"],
  platforms: ["domain"],
  repo: ["domain"],
  telemetry: ["config", "domain"],
  api: ["domain"],
  domain: []
}

// Of packages, these import no others.
const packages = { api: ["effect"], domain: ["effect", "tlds", "twitter-text"] }

const sql = ["@effect/sql-pg", "effect/sql", "pg"]

const isOf = (specifier, names) => names.some((name) => specifier === name || specifier.startsWith(`${name}/`))

const layerOf = (file) => {
  const path = relative(src, file).split(sep)
  return path.length === 1 ? path[0].replace(/\.ts$/u, "") : path[0]
}

const complain = (from, file, specifier) => {
  if (specifier.startsWith(".")) {
    const to = layerOf(resolve(dirname(file), specifier))
    const allowed = mayImport[from] ?? []
    if (to === from || allowed.includes(to)) return undefined
    const names = allowed.length === 0 ? "no other part of src" : allowed.map((layer) => `src/${layer}`).join(", ")
    return `src/${from} imports ${names}, not ${specifier}.`
  }
  if (from !== "repo" && isOf(specifier, sql)) return `Only src/repo knows SQL, so ${specifier} is not for src/${from}.`
  if (from in packages && !isOf(specifier, packages[from])) {
    return `src/${from} imports no package but ${packages[from].join(" and ")}.`
  }
  return undefined
}

const importDirections = {
  create: (context) => {
    const from = layerOf(context.filename)
    const check = ({ source }) => {
      if (source === null || typeof source.value !== "string") return
      const message = complain(from, context.filename, source.value)
      if (message !== undefined) context.report({ node: source, message })
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportAllDeclaration: check,
      ExportNamedDeclaration: check,
      TSImportType: check
    }
  }
}

const noCurrentDate = {
  create: (context) => {
    const check = (node) => {
      if (node.callee.type !== "Identifier" || node.callee.name !== "Date") return
      if (node.type === "NewExpression" && node.arguments.length > 0) return
      context.report({ node, message: "Use Clock or DateTime.now: this asks the machine for the time." })
    }
    return { NewExpression: check, CallExpression: check }
  }
}

export default {
  meta: { name: "own" },
  rules: { "import-directions": importDirections, "no-current-date": noCurrentDate }
}
