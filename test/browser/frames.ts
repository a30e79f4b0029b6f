import type { Page } from "playwright-core"

/**
 * The time that the clock of a page skips as it is paused, in milliseconds: not over by the time the page hears of it, and shorter
 * than the timeout of requests.
 */
const ahead = 50_000

/**
 * Lets no frame and no timer come from now on to a page with a clock of its own, as on a machine that is busy with something else: what a
 * component does after the paint is not done. Whoever reads the page then sees what a person sees until the next frame.
 */
export const holdFrames = async (page: Page) => page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + ahead)

/** How long frames take where they are late, in milliseconds. */
const late = 400

/** Lets each frame come late in the documents that are loaded next, and so what a component does after the paint. */
export const delayFrames = (page: Page) =>
  page.addInitScript(`{
    const { clearTimeout, setTimeout } = window
    window.requestAnimationFrame = (run) => setTimeout(() => run(performance.now()), ${late})
    window.cancelAnimationFrame = clearTimeout
    // Short timers stand in for frames in pages that are not seen.
    window.setTimeout = (run, millis = 0, ...rest) => setTimeout(run, millis > 0 && millis < 50 ? ${late} : millis, ...rest)
  }`)

/**
 * Does something to an element in the task after it has come, as whoever has pressed a key or a button while the page was busy.
 *
 * @param find A script: the element, or nothing yet.
 * @param act A script that is told of it as `found`, and returns a text.
 */
export const onceThere = (page: Page, find: string, act: string) =>
  page.evaluate<string>(`new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    const look = () => {
      const found = ${find}
      if (!found) return
      observer.disconnect()
      port2.onmessage = () => {
        resolve((async () => {
          ${act}
        })())
      }
      port1.postMessage(undefined)
    }
    const observer = new MutationObserver(look)
    observer.observe(document.body, { childList: true, subtree: true })
    look()
  })`)

/** The script for a button with a text. */
export const button = (text: string) =>
  `Array.from(document.querySelectorAll("button")).find(({ textContent }) => textContent === "${text}")`
