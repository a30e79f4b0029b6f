import { Effect } from "effect"
import type { Page } from "playwright-core"
import { Browser, type PageOptions } from "./browser.ts"
import { Dashboard } from "./dashboard.ts"

/** Opens a path with a session of the demo's user, who is an admin. Other tests cover the log-in page. */
export const openAsDemo = async (page: Page, url: string, path: string) => {
  const response = await page.context().request.post(`${url}/sandbox/session`, { headers: { origin: url } })
  if (!response.ok()) throw new Error(`There is no session: ${response.status()} ${await response.text()}`)
  await page.goto(`${url}${path}`)
  await page.getByRole("navigation", { name: "Pages" }).waitFor()
}

/** A page at a path, with a session of the demo's user. */
export const enter = Effect.fn("enter")(function* (
  path: string,
  options?: PageOptions,
  /** Runs before the page is loaded, such as to set the responses that it gets. */
  prepare: (page: Page) => Promise<unknown> = () => Promise.resolve()
) {
  const { url } = yield* Dashboard
  const { page: open } = yield* Browser
  const page = yield* open(options)
  yield* Effect.promise(async () => {
    await prepare(page)
    await openAsDemo(page, url, path)
  })
  return page
})
