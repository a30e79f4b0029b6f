import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, assert, beforeEach, describe, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const linter = path.join(root, "node_modules/oxlint/bin/oxlint")

let directory = ""
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "linted rooms "))
  await cp(path.join(root, ".ci/lint.mjs"), path.join(directory, ".ci/lint.mjs"))
  const rules = { "own/import-directions": "error", "own/comments": "error" }
  const config = { jsPlugins: ["./.ci/lint.mjs"], categories: {}, rules }
  await writeFile(path.join(directory, ".oxlintrc.json"), JSON.stringify(config))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** Imports as they stand in a file of src. */
type Imports = Readonly<Record<string, ReadonlyArray<string>>>

const statement = (specifier: string, index: number) => `import { a${index} } from "${specifier}"\n`

/** The linter's diagnostics of the directory. */
const lint = async (): Promise<ReadonlyArray<Diagnostic>> => {
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [linter, "--format", "json", "src"], { cwd: directory }, (_, printed) =>
      resolve(printed)
    )
  })
  const { diagnostics }: { readonly diagnostics: ReadonlyArray<Diagnostic> } = JSON.parse(output)
  return diagnostics
}

/** Writes files with imports, and returns the imports that the linter refuses. */
const refused = async (files: Imports, write = statement): Promise<Imports> => {
  for (const [name, specifiers] of Object.entries(files)) {
    const file = path.join(directory, "src", name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, specifiers.map(write).join(""))
  }
  const found = (await lint())
    .filter(({ code }) => code === "own(import-directions)")
    .map(({ filename, labels }) => ({ name: filename.replace(/^src\//, ""), line: labels[0]?.span.line }))
  return Object.fromEntries(
    Object.entries(files).flatMap(([name, specifiers]) => {
      const own = specifiers.filter((_, index) => found.some((at) => at.name === name && at.line === index + 1))
      return own.length === 0 ? [] : [[name, own]]
    })
  )
}

interface Diagnostic {
  readonly code: string
  readonly filename: string
  readonly labels: ReadonlyArray<{ readonly span: { readonly line: number } }>
}

describe("the linter's rule of who imports what", () => {
  it("Tools of agents know the contract, the domain and what all of HTTP shares, and no handler, use case or database", async () => {
    const others = [
      "../../http/handlers/posts.ts",
      "../../http/middleware/keyGate.ts",
      "../../http/router/responses.ts",
      "../../http/server.ts",
      "../../posting/Posting.ts",
      "../../repo/Repo.ts",
      "../../media/MediaLibrary.ts",
      "../../platforms/layer.ts",
      "../../outbound/Outbound.ts",
      "../../cli/mcp.ts",
      "../../wiring/service.ts",
      "../../config.ts"
    ]
    const own = [
      "effect",
      "../../api/Api.ts",
      "../../domain/counted.ts",
      "../../domain/plain/access.ts",
      "../../http/KeyGate.ts",
      "../tool.ts",
      "../routingHeaders.ts"
    ]
    assert.deepStrictEqual(await refused({ "mcp/tools/tool.ts": [...own, ...others, "effect/sql", "pg"] }), {
      "mcp/tools/tool.ts": [...others, "effect/sql", "pg"]
    })
  })

  it("The server of agents is imported by the wiring alone, and the headers of the protocol by the command as well", async () => {
    const server = "mcp/server.ts"
    const headers = "mcp/routingHeaders.ts"
    assert.deepStrictEqual(
      await refused({
        "wiring/service.ts": [`../${server}`],
        "cli/mcp.ts": [`../${headers}`, `../${server}`],
        "main.ts": [`./${server}`],
        "http/server.ts": [`../${server}`, `../${headers}`],
        "http/handlers/posts.ts": [`../../${server}`],
        "api/Api.ts": [`../${server}`, `../${headers}`],
        "domain/counted.ts": [`../${headers}`],
        "posting/Posting.ts": [`../${server}`],
        "dashboard/pages/agents.ts": [`../../${headers}`],
        "client/index.ts": [`../${headers}`],
        "mcp/routingHeaders.ts": ["effect", "./server.ts", "../domain/counted.ts"]
      }),
      {
        "cli/mcp.ts": [`../${server}`],
        "main.ts": [`./${server}`],
        "http/server.ts": [`../${server}`, `../${headers}`],
        "http/handlers/posts.ts": [`../../${server}`],
        "api/Api.ts": [`../${server}`, `../${headers}`],
        "domain/counted.ts": [`../${headers}`],
        "posting/Posting.ts": [`../${server}`],
        "dashboard/pages/agents.ts": [`../../${headers}`],
        "client/index.ts": [`../${headers}`],
        "mcp/routingHeaders.ts": ["./server.ts", "../domain/counted.ts"]
      }
    )
  })

  it("A platform's folder imports what platforms share and itself, and no other platform's", async () => {
    const others = ["../bluesky/adapter.ts", "../bluesky/rules/text.ts", "../live.ts", "../../repo/Repo.ts"]
    const own = ["effect", "../call.ts", "../facts.ts", "./facts.ts", "./rules/text.ts", "../../domain/counted.ts"]
    assert.deepStrictEqual(await refused({ "platforms/twitter/adapter.ts": [...own, ...others] }), {
      "platforms/twitter/adapter.ts": others
    })
  })

  it("An import of types, one when it runs, and an export of what is elsewhere are imports", async () => {
    const forms: ReadonlyArray<(specifier: string) => string> = [
      (specifier) => `import type { A } from "${specifier}"\n`,
      (specifier) => `export { b } from "${specifier}"\n`,
      (specifier) => `export * from "${specifier}"\n`,
      (specifier) => `export const c = () => import("${specifier}")\n`,
      (specifier) => `export type D = import("${specifier}").D\n`,
      (specifier) => `import "${specifier}"\n`
    ]
    const repo = "../repo/Repo.ts"
    const specifiers = forms.map(() => repo)
    const found = await refused({ "mcp/call.ts": specifiers }, (specifier, index) => forms[index]?.(specifier) ?? "")
    assert.deepStrictEqual(found, { "mcp/call.ts": specifiers })
  })
})

describe("the linter's rule of comments", () => {
  it("A comment begins with its subject and has at most 120 columns", async () => {
    const lines = [
      "/** What narrows the list. */",
      "// Whether it is out.",
      "/**",
      " * Who asks.",
      " */",
      `// ${"a".repeat(118)}`,
      "/** The list's filters. */",
      `// ${"a".repeat(117)}`,
      "// Whatever comes.",
      `export const code = "${"a".repeat(120)}" // A line of code may be longer.`
    ]
    await mkdir(path.join(directory, "src"))
    await writeFile(path.join(directory, "src/comments.ts"), lines.join("\n"))
    const found = (await lint()).map(({ code, labels }) => [code, labels[0]?.span.line])
    assert.sameDeepMembers(
      found,
      [1, 2, 3, 6].map((line) => ["own(comments)", line])
    )
  })
})
