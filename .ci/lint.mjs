// The rules that oxlint does not have, foremost who may import what in src.
import { dirname, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"

const src = fileURLToPath(new URL("../src", import.meta.url))

/** The facts of platforms, their limits, settings and previews: the lists of all, those of each folder, and their types. */
const facts = "platforms/facts"

/** Values without packages. Whoever may import the domain may import them, and those that run in browsers not only as types. */
const plain = ["domain/plain", facts]

/**
 * What each room of src may import besides itself. A room is named by its path; the longest name that fits a file is its room. A
 * platform's folder has a star for its name, and imports no other platform's.
 */
const mayImport = {
  main: ["run", "wiring"],
  run: ["config", "telemetry"],
  // The service while it is written. Nothing else imports it.
  dev: ["http/pages", "run", "wiring"],
  cli: [
    "accounts",
    "backup",
    "config",
    "domain",
    "mail",
    "mcp/routingHeaders",
    "media",
    "outbound",
    "platforms",
    "platforms/rules",
    "repo",
    "telemetry",
    "wiring"
  ],
  // Only wiring imports embeddedPostgres. Only wiring, the demo and the stand-ins import the sandbox.
  wiring: [
    "accounts",
    "backup",
    "cards",
    "chat",
    "config",
    "demo",
    "domain",
    "embeddedPostgres",
    "mail",
    "http/operations",
    "http/pages",
    "http/server",
    "mcp",
    "media",
    "notifier",
    "outbound",
    "outlook",
    "platforms",
    "platforms/rules",
    "platforms/standIns",
    "publishing",
    "repo",
    "sandbox",
    "sweeper",
    "webhooks",
    "worker"
  ],
  demo: ["domain", "media", "notifier", "platforms", "platforms/rules", "platforms/standIns", "repo", "sandbox"],
  http: ["api", "domain"],
  "http/caller": ["api", "domain", "http", "repo"],
  // Handlers know middleware only through the contract.
  "http/handlers": [
    "accounts",
    "api",
    "chat",
    "domain",
    "http",
    "http/caller",
    "mail",
    "media",
    "notifier",
    "outbound",
    "outlook",
    "platforms",
    "platforms/rules",
    "posting",
    "repo"
  ],
  "http/middleware": ["api", "domain", "http", "http/caller", "platforms/rules", "posting", "repo"],
  "http/node": ["api", "http", "http/caller"],
  "http/operations": ["api", "domain", "http", "repo"],
  // What browsers are shown, and the files that platforms fetch.
  "http/pages": ["accounts", "api", "domain", "http", "http/caller", "media", "platforms", "repo"],
  // Puts the functions of middleware and handlers in another order, so that these know nothing of it.
  "http/fastReads": ["api", "domain", "http", "http/handlers", "http/middleware", "http/node", "http/router", "repo"],
  "http/router": ["api", "domain", "http", "http/pages"],
  // The only file that puts the rooms of http together.
  "http/server": [
    "api",
    "http",
    "http/handlers",
    "http/middleware",
    "http/node",
    "http/operations",
    "http/pages",
    "http/fastReads",
    "http/router",
    "posting"
  ],
  // The tools of agents, which call the API in the process itself: the contract is all that they know of it.
  mcp: ["api", "domain", "http", "mcp/routingHeaders", "platforms/rules"],
  // What the pipe on standard input and output needs of the protocol.
  "mcp/routingHeaders": [],
  // What can be done with a post, whoever asks for it.
  posting: ["cards", "domain", "notifier", "platforms/live", "platforms/rules", "repo"],
  // What is due soon, checked as publishing would, which it never does.
  outlook: ["accounts", "domain", "media", "notifier", "outbound", "platforms", "platforms/rules", "repo"],
  media: ["domain", "outbound", "platforms/rules", "repo"],
  accounts: ["domain", "media", "notifier", "outbound", "platforms", "repo"],
  publishing: ["domain", "media", "notifier", "outbound", "platforms", "repo", "worker"],
  webhooks: ["domain", "notifier", "outbound", "repo", "worker"],
  sweeper: ["domain", "media", "repo"],
  // What the publisher, the uploader and the deliverer of webhooks have in common.
  worker: ["domain"],
  notifier: ["domain", "repo"],
  mail: ["domain", "repo", "worker"],
  // Notifications reach channels as they reach mailboxes.
  chat: ["domain", "mail", "notifier", "outbound", "repo", "worker"],
  platforms: ["domain", "outbound"],
  "platforms/*": ["domain", "outbound", "platforms", "platforms/*/rules"],
  // What posts may say and carry: pure functions, which know nothing of how posts are sent.
  "platforms/*/rules": ["domain"],
  "platforms/*/standIn": ["domain", "platforms/*", "platforms/*/rules", "sandbox"],
  "platforms/*/live": [
    "domain",
    "platforms",
    "platforms/LiveParts",
    "platforms/*",
    "platforms/*/rules",
    "platforms/*/standIn"
  ],
  "platforms/LiveParts": ["domain", "platforms", "sandbox"],
  "platforms/live": ["domain", "platforms/LiveParts", "platforms/*/live"],
  "platforms/rules": ["domain", "platforms/LiveParts", "platforms/live"],
  "platforms/standIns": ["domain", "platforms", "platforms/LiveParts", "platforms/live"],
  sandbox: ["domain", "platforms", "platforms/rules", "platforms/standIns"],
  backup: ["domain", "repo"],
  repo: ["domain", "migrations", "platforms/rules"],
  outbound: ["domain"],
  cards: ["domain", "media", "outbound"],
  embeddedPostgres: [],
  // What runs in browsers. It knows the contract by its types. The shell stands around the pages, which build on what they share.
  dashboard: ["dashboard/shell"],
  "dashboard/shell": [
    "api",
    "dashboard/api",
    "dashboard/pages",
    "dashboard/shared",
    "dashboard/store",
    "dashboard/ui",
    "domain"
  ],
  "dashboard/pages": ["dashboard/api", "dashboard/shared", "dashboard/ui", "domain"],
  "dashboard/shared": ["dashboard/api", "dashboard/store", "dashboard/ui", "domain"],
  "dashboard/api": ["api", "dashboard/store", "domain"],
  "dashboard/ui": ["dashboard/store", "domain"],
  "dashboard/store": [],
  bundler: [],
  // The package for those who call the API. It knows the contract by what its build reads in the OpenAPI document.
  client: [],
  telemetry: ["config", "domain"],
  config: ["domain", "platforms/live"],
  api: ["domain"],
  domain: plain,
  "domain/plain": [facts],
  [facts]: []
}

/** Of packages, these rooms and those in them import no others. */
const packages = {
  api: ["effect"],
  client: [],
  dashboard: ["@tanstack/query-core", "diff", "preact"],
  domain: ["effect", "tlds"],
  "platforms/*/rules": ["effect", "tlds", "twitter-text"],
  "domain/plain": [],
  [facts]: []
}

/** From outside of them these rooms import only types, because all that they import goes to browsers. */
const typeRooms = ["dashboard"]

/** Only these rooms may import SQL packages. */
const sqlRooms = new Set(["backup", "embeddedPostgres", "repo"])
const sql = ["@effect/sql-pg", "effect/sql", "pg"]

const isIn = (path, room) => path === room || path.startsWith(`${room}/`)

/** The one of these rooms that a room is or is in. */
const enclosing = (room, names) => names.find((name) => isIn(room, name))

const byLength = (names) => Object.keys(names).toSorted((left, right) => right.length - left.length)

const rooms = byLength(mayImport)

const pathOf = (file) =>
  relative(src, file)
    .split(sep)
    .join("/")
    .replace(/\.tsx?$/u, "")

/** The platform whose folder a file is in, if it is in one. Several platforms share the folder `meta`. */
const platformOf = (file) => /^platforms\/(?!meta\/)(\w+)\//u.exec(pathOf(file))?.[1]

const roomOf = (file) => {
  const path = pathOf(file).replace(/^platforms\/\w+\//u, "platforms/*/")
  if (path.startsWith("../migrations/")) return "migrations"
  if (/^platforms\/(?:Platform|(?:\*\/)?(?:facts|limits|settings|previews?))$/u.test(path)) return facts
  return rooms.find((room) => isIn(path, room)) ?? path
}

const complain = (from, file, specifier, isType) => {
  if (specifier.startsWith(".")) {
    const target = resolve(dirname(file), specifier)
    const to = roomOf(target)
    const [own, other] = [platformOf(file), platformOf(target)]
    // Meta's platforms share a folder that is no platform's.
    if (own !== undefined && other !== undefined && own !== other && other !== "meta") {
      return `A platform's folder imports no other platform's, and ${specifier} is in that of ${other}.`
    }
    const allowed = mayImport[from] ?? []
    const typeRoom = enclosing(from, typeRooms)
    if (to === from || (plain.includes(to) && allowed.includes("domain"))) return undefined
    if (typeRoom !== undefined && !isIn(to, typeRoom) && allowed.includes(to) && !isType) {
      return `src/${from} imports only types from src/${to}: import type.`
    }
    if (allowed.includes(to)) return undefined
    const names = allowed.length === 0 ? "no other room of src" : allowed.map((room) => `src/${room}`).join(", ")
    return `src/${from} imports ${names}, not ${specifier}, which is in src/${to}.`
  }
  if (!sqlRooms.has(from) && sql.some((name) => isIn(specifier, name))) {
    return `Only src/repo, src/backup and src/embeddedPostgres import SQL packages, so ${specifier} is not for src/${from}.`
  }
  const packageRoom = enclosing(from, byLength(packages))
  if (packageRoom !== undefined && !packages[packageRoom].some((name) => isIn(specifier, name))) {
    const names = packages[packageRoom]
    return `src/${from} imports no package${names.length === 0 ? "" : ` but ${names.join(" and ")}`}.`
  }
  return undefined
}

const importDirections = {
  create: (context) => {
    const from = roomOf(context.filename)
    const check = ({ exportKind, importKind, source, type }) => {
      if (source === null || typeof source.value !== "string") return
      const isType = [exportKind, importKind].includes("type") || type === "TSImportType"
      const message = complain(from, context.filename, source.value, isType)
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

/** Messages of the service, which are compared, have the straight one. */
const isCompared = ({ parent }) => parent?.type === "BinaryExpression"

/** An apostrophe between letters of a text for people. */
const typographicApostrophes = {
  create: (context) => {
    const check = (node, text) => {
      if (typeof text !== "string" || !/\p{L}'\p{L}/u.test(text) || isCompared(node)) return
      context.report({ node, message: "Texts of the dashboard have the apostrophe ’." })
    }
    return {
      Literal: (node) => check(node, node.value),
      TemplateElement: (node) => check(node, node.value.cooked),
      JSXText: (node) => check(node, node.value)
    }
  }
}

/** A comment begins with its subject. These words begin a clause. */
const clause = /^[\s*]*(?:Of|What|Whether|Who)\b/u

const maxColumns = 120

const comments = {
  create: (context) => ({
    Program: () => {
      const { sourceCode } = context
      for (const comment of sourceCode.getAllComments()) {
        if (clause.test(comment.value)) {
          context.report({
            loc: comment.loc,
            message: "Begin a comment with its subject: see .github/CONTRIBUTING.md."
          })
        }
        const { end, start } = comment.loc
        const isLong = sourceCode.lines.slice(start.line - 1, end.line).some((line) => line.length > maxColumns)
        // A line of code may be longer than its comment.
        if (isLong && sourceCode.lines[start.line - 1].slice(0, start.column).trim() === "") {
          context.report({ loc: comment.loc, message: `A comment has at most ${maxColumns} columns.` })
        }
      }
    }
  })
}

export default {
  meta: { name: "own" },
  rules: {
    comments,
    "import-directions": importDirections,
    "no-current-date": noCurrentDate,
    "typographic-apostrophes": typographicApostrophes
  }
}
