import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import path from "node:path"
import { root } from "../support/process/program.ts"

/** What the files of a folder import or require of a package, each once, with the files that do. */
const importsOf = (name: string, folder: string, files: string) => {
  const pattern = new RegExp(`(?:from|import|require\\(|import\\() ?["'](${name}(?:/[^"']*)?)["']`, "g")
  const directory = path.join(root, folder)
  return globSync(files, { cwd: directory }).flatMap((file) =>
    Array.from(readFileSync(path.join(directory, file), "utf8").matchAll(pattern), ([, imported = ""]) => ({
      file,
      imported
    }))
  )
}

describe("the packages of .bin/absent", () => {
  it("twitter-text requires nothing of core-js but polyfills, which export nothing", () => {
    const required = importsOf("core-js", "node_modules/twitter-text/dist", "**/*.js")
    assert.isAbove(required.length, 0)
    for (const { imported } of required) assert.match(imported, /^core-js\/modules\/(?:es\d|web)\./)
  })

  it("Of the modules of @effect/platform-node only that of Redis imports its client, and nothing here imports that one", () => {
    const importers = importsOf("redis", "node_modules/@effect/platform-node/dist", "*.js").map(({ file }) => file)
    assert.deepStrictEqual([...new Set(importers)], ["NodeRedis.js"])
    const imported = importsOf("@effect/platform-node", ".", "{src,migrations,test}/**/*.{ts,tsx}")
    assert.isAbove(imported.length, 0)
    for (const module of ["@effect/platform-node", "@effect/platform-node/NodeRedis"]) {
      assert.notInclude(
        imported.map((found) => found.imported),
        module
      )
    }
  })
})
