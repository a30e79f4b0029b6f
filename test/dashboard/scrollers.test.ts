import { assert, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"

const root = new URL("../../src/dashboard/", import.meta.url).pathname

const rules = globSync("**/*.css", { cwd: root }).flatMap((file) =>
  Array.from(
    readFileSync(`${root}${file}`, "utf8")
      .replaceAll(/\/\*[^]*?\*\//g, "")
      .matchAll(/(?<selector>[^{}]+)\{(?<declarations>[^{}]*)\}/g),
    ({ groups }) => ({ file, selector: groups?.["selector"]?.trim(), declarations: groups?.["declarations"] ?? "" })
  )
)

/** An element for screen readers alone is placed by its positioned ancestor, and would otherwise not be scrolled. */
it("All that scrolls is positioned, so that what is hidden in it does not make the page higher", () => {
  const scrollers = rules.filter(({ declarations }) => /overflow(?:-[xy])?: *(?:auto|scroll)/.test(declarations))
  assert.isAbove(scrollers.length, 10)
  assert.deepStrictEqual(
    scrollers
      .filter(({ declarations }) => !/position: *(?:relative|absolute|fixed|sticky)/.test(declarations))
      .map(({ file, selector }) => `${file} ${selector}`),
    []
  )
})
