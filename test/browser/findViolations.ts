import axe from "axe-core"
import { Effect } from "effect"
import type { Page } from "playwright-core"

/** What axe-core finds wrong for people with disabilities, each rule with the first element that breaks it. */
export const findViolations = (page: Page) =>
  Effect.promise(async () => {
    await page.evaluate(axe.source)
    return page.evaluate<ReadonlyArray<string>>(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))`
    )
  })
