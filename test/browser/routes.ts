import type { Page, Route } from "playwright-core"

/**
 * Keeps the page's requests under Playwright's control. If the last route of a page is removed, a request that is under
 * way may never be answered (playwright-core 1.65).
 */
const keepControl = (page: Page) => page.route("https://kept.invalid/", (route) => route.fallback())

/** Ends a route, so that the service answers again. */
export const endRoute = async (page: Page, path: string | RegExp, handle?: (route: Route) => unknown) => {
  await keepControl(page)
  await page.unroute(path, handle)
}

/** Handles the next request to a path. */
export const routeOnce = async (page: Page, path: string, handle: (route: Route) => unknown) => {
  await keepControl(page)
  await page.route(path, handle, { times: 1 })
}
