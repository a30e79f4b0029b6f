import axe from "axe-core"
import type { Page } from "playwright-core"

/** Omits passed rules from the results, because keeping them takes several times as long. */
const run = `axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ help, id, nodes }) => \`\${id}: \${help} at \${nodes[0].html}\`))`

/**
 * The violations that axe-core finds in a page, each with the first element. axe-core is evaluated, because the page's
 * content security policy allows no foreign scripts.
 */
export const findFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe.source)
  return page.evaluate(run)
}
