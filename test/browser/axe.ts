import axe from "axe-core"
import type { Page } from "playwright-core"

/** What axe-core finds wrong with a page, each with its first place. The page's rules allow no script from elsewhere, so it is evaluated. */
export const findFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  return page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ help, id, nodes }) => `${id}: ${help} at ${nodes[0].html}`))"
  )
}
