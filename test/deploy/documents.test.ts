import { globSync } from "node:fs"
import { readFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { liveFacts } from "../../src/platforms/facts.ts"
import type { LiveFacts } from "../../src/platforms/Platform.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

const read = (file: string) => readFile(path.join(root, file), "utf8")

/** What a pattern's group finds in a text, each once, in order. */
const findAll = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, found = ""]) => found))].toSorted()

/** The rows of the tables under a heading, up to the next one of its level. */
const rowsUnder = (page: string, heading: string) => {
  const [, section = ""] = page.split(`\n${heading}\n`)
  const [own = ""] = section.split(/\n## /)
  return own.split("\n").filter((line) => line.startsWith("|"))
}

describe("the pages for operators and clients", () => {
  it("The table of settings has each environment variable that the service reads, and no other", async () => {
    const files = globSync("src/{config,platforms/*/config}.ts", { cwd: root })
    const variables = findAll(
      (await Promise.all(files.map(read))).join("\n"),
      /(?:Config\.[\w.]+|replaceableUrl)\([^()]*(?:\([^()]*\))?[^()]*"([A-Z][A-Z0-9_]+)"/g
    )
    assert.isAtLeast(variables.length, 25)
    const rows = rowsUnder(await read(".deploy/README.md"), "## Settings")
    const names = rows.map((row) => row.split("|")[1] ?? "").join(" ")
    const applications = Object.values<LiveFacts>(liveFacts).flatMap(({ ownApplication = [] }) => ownApplication)
    assert.deepStrictEqual(findAll(names, /`([A-Z0-9_]+)`/g), [...new Set([...variables, ...applications])].toSorted())
  })

  it("Each alert has a section that says what to do, and each section has its alert", async () => {
    const alerts = findAll(await read(".deploy/alerts.yaml"), /- alert: (\w+)/g)
    assert.isAtLeast(alerts.length, 15)
    const headings = findAll(await read(".deploy/README.md"), /^#### (.+)$/gm).flatMap((heading) =>
      heading.split(" and ")
    )
    assert.deepStrictEqual(headings.toSorted(), alerts)
  })

  it("The table of errors has each code that the OpenAPI document names", async () => {
    const codes = findAll(await read("test/api/openapi.json"), /"urn:social-publisher:problem:(\w+)"/g)
    assert.isAtLeast(codes.length, 30)
    const rows = rowsUnder(await read("src/api/README.md"), "## Errors").join("\n")
    assert.includeMembers(findAll(rows, /`(\w+)`/g), codes)
  })
})
