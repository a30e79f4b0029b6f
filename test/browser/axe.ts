import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"

const source = Effect.runSync(
  Effect.cached(Effect.promise(() => readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")))
)

/** Says each violation in a line; the code runs in the page. */
const check = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.flatMap(({ help, nodes }) => nodes.map(({ target }) => help + ": " + target.join(" "))))`

const readLines = (found: unknown): ReadonlyArray<string> =>
  Array.isArray(found) ? found.map(String) : [`axe said ${String(found)}`]

/** What is wrong with a page for people with disabilities, as far as axe-core sees it. */
export const accessibilityProblems = Effect.fn("accessibilityProblems")(function* (page: Page) {
  const script = yield* source
  return yield* Effect.promise(async () => {
    // Colors are compared after the transitions.
    await page.emulateMedia({ reducedMotion: "reduce" })
    // Through the debugger, which the page's content security policy does not concern.
    await page.evaluate(script)
    return readLines(await page.evaluate(check))
  })
})
