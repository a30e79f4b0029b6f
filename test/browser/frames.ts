import type { Page } from "playwright-core"

/**
 * Lets no frame and no timer come from now on, as on a machine that is busy with something else: what a component does after the
 * paint is not done. Whoever reads the page then sees what a person sees until the next frame.
 */
export const holdFrames = async (page: Page) => {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 1000)
}
