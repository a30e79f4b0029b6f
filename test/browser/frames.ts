import type { Page } from "playwright-core"

/**
 * A page's clock skips this many milliseconds when it is paused. The page must get the command before that time is
 * over, and the time must be shorter than the timeout of requests.
 */
const ahead = 50_000

/**
 * Holds all frames and timers of a page with its own clock, as on a busy machine. Components then do not run what they
 * do after a paint, so a test reads what a person sees until the next frame.
 */
export const holdFrames = async (page: Page) => page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + ahead)

/** The duration of late frames, in milliseconds. */
const late = 400

/** Delays each frame in the documents that are loaded next, and so everything that components do after a paint. */
export const delayFrames = (page: Page) =>
  page.addInitScript(`{
    const { clearTimeout, setTimeout } = window
    window.requestAnimationFrame = (run) => setTimeout(() => run(performance.now()), ${late})
    window.cancelAnimationFrame = clearTimeout
    // Pages that are not visible use short timers instead of frames.
    window.setTimeout = (run, millis = 0, ...rest) => setTimeout(run, millis > 0 && millis < 50 ? ${late} : millis, ...rest)
  }`)

/**
 * Runs a script in the task after an element appears, as if a person had pressed a key or a button while the page was
 * busy.
 *
 * @param find A script that evaluates to the element, or to nothing while there is none.
 * @param act A script that gets the element as `found` and returns a text.
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
