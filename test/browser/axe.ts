import axe from "axe-core"
import type { Page } from "playwright-core"

/** Runs the rules without keeping what passes, which takes a multiple of the time. */
const run = `axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ help, id, nodes }) => \`\${id}: \${help} at \${nodes[0].html}\`))`

/** What axe-core finds wrong with a page, each with its first place. The page's rules allow no script from elsewhere, so it is evaluated. */
export const findFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe.source)
  return page.evaluate(run)
}
