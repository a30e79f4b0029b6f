import { readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = path.resolve(import.meta.dirname, "../..")

const specifiersIn = (file: string): ReadonlyArray<string> =>
  Array.from(
    readFileSync(file, "utf8").matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g),
    ([, specifier = ""]) => specifier
  )

/** The transitive imports of a file: files by their path in the project, packages by name. */
const findImports = (file: string, visited = new Set<string>()): ReadonlySet<string> => {
  for (const specifier of specifiersIn(path.join(root, file))) {
    const found = specifier.startsWith(".")
      ? path.relative(root, path.resolve(root, path.dirname(file), specifier))
      : specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")
    if (visited.has(found)) continue
    visited.add(found)
    if (specifier.startsWith(".")) findImports(found, visited)
  }
  return visited
}

describe("the imports of src/api/Api.ts", () => {
  it("The contract imports only the domain, the facts of platforms, effect and twitter-text, so that clients can import it without the server", () => {
    const found = Array.from(findImports("src/api/Api.ts"))
    assert.include(found, "src/domain/posts/post.ts")
    const others = found.filter(
      (name) =>
        !/^src\/(api|domain)\/[\w/]+\.ts$|^src\/platforms\/(Platform|(\w+\/)?(facts|limits|settings|previews?))\.ts$|^effect$|^twitter-text$/.test(
          name
        )
    )
    assert.deepStrictEqual(others, [])
  })
})
