import { readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = path.resolve(import.meta.dirname, "../..")

const specifiersIn = (file: string): ReadonlyArray<string> =>
  Array.from(
    readFileSync(file, "utf8").matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g),
    ([, specifier = ""]) => specifier
  )

/** Everything that a file imports, and that imports in turn: files by their path in the project, packages by name. */
const importsOf = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  for (const specifier of specifiersIn(path.join(root, file))) {
    const found = specifier.startsWith(".")
      ? path.relative(root, path.resolve(root, path.dirname(file), specifier))
      : specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")
    if (seen.has(found)) continue
    seen.add(found)
    if (specifier.startsWith(".")) importsOf(found, seen)
  }
  return seen
}

describe("the contract", () => {
  it("can be imported by a client alone: it leads to the domain, effect and twitter-text, and to nothing of the server", () => {
    const found = Array.from(importsOf("src/api/Api.ts"))
    assert.include(found, "src/domain/post.ts")
    const others = found.filter((one) => !/^src\/(api|domain)\/[\w/]+\.ts$|^effect$|^twitter-text$/.test(one))
    assert.deepStrictEqual(others, [])
  })
})
