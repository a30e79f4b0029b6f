import { Effect } from "effect"
import { Browser, type PageOptions } from "./browser.ts"
import { Dashboard } from "./dashboard.ts"

/** Opens a path as the demo's user, who is an admin. */
export const enter = Effect.fn("enter")(function* (path: string, options?: PageOptions) {
  const { url } = yield* Dashboard
  const { page: open } = yield* Browser
  const page = yield* open(options)
  yield* Effect.promise(async () => {
    await page.goto(`${url}/login?next=${encodeURIComponent(path)}`)
    await page.getByRole("button", { name: "Continue as demo" }).click()
    await page.getByRole("navigation").waitFor()
  })
  return page
})
