import type { BrowserContext, Page, Route } from "playwright-core"

/** Pages and contexts whose requests are kept under control. */
const kept = new WeakSet<Page | BrowserContext>()

/**
 * Keeps requests under Playwright's control. If the last route of a page or context is removed, a request that is under
 * way may never be answered (playwright-core 1.65).
 */
const keepControl = async (routed: Page | BrowserContext) => {
  if (kept.has(routed)) return
  await routed.route("https://kept.invalid/", (route) => route.fallback())
  kept.add(routed)
}

/** Ends a route of a page or of all pages, so that the service answers again. */
export const endRoute = async (
  routed: Page | BrowserContext,
  path: string | RegExp,
  handle?: (route: Route) => unknown
) => {
  await keepControl(routed)
  await routed.unroute(path, handle)
}

/** Handles the next request to a path. */
export const routeOnce = async (page: Page, path: string, handle: (route: Route) => unknown) => {
  await keepControl(page)
  await page.route(path, handle, { times: 1 })
}
