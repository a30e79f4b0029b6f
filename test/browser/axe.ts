import type axe from "axe-core"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"

/** The minified file. A browser reads it in a fraction of the time of `axe.source`, which has comments. */
const source = readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

/** The rules whose results depend on the color scheme, because a scheme changes nothing but colors. */
const colorRules = ["color-contrast", "link-in-text-block"]

/**
 * Omits passed rules from the results, because keeping them takes several times as long. Does not read the style sheets
 * in advance, because only a rule that is off by default needs them.
 */
const run = async (page: Page, more: axe.RunOptions = {}): Promise<ReadonlyArray<string>> => {
  const options: axe.RunOptions = { resultTypes: ["violations"], preload: { assets: ["media"] }, ...more }
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(await source)
  return page.evaluate(`axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ help, id, nodes }) => \`\${id}: \${help} at \${nodes[0].html}\`))`)
}

/**
 * The violations that axe-core finds in a page, each with the first element. axe-core is evaluated, because the page's
 * content security policy allows no foreign scripts.
 */
export const findFaults = (page: Page) => run(page)

/**
 * The violations in a page in both color schemes. In the dark scheme, only the rules about colors run again. Leaves the
 * page in the light scheme.
 */
export const findFaultsInBothSchemes = async (page: Page): Promise<ReadonlyArray<string>> => {
  try {
    await page.emulateMedia({ colorScheme: "light" })
    const inLight = await run(page)
    await page.emulateMedia({ colorScheme: "dark" })
    const inDark = await run(page, { runOnly: colorRules })
    return [...inLight, ...inDark.map((fault) => `In the dark scheme: ${fault}`)]
  } finally {
    await page.emulateMedia({ colorScheme: "light" })
  }
}
