/** The paths of the dashboard's pages, at which the service has its document. The dashboard has a page for each. */
export const dashboardPaths = [
  "/",
  "/posts",
  "/posts/:id",
  "/compose",
  "/approvals",
  "/notifications",
  "/accounts",
  "/settings",
  "/settings/profile",
  "/settings/agents",
  "/settings/keys",
  "/settings/webhooks",
  "/settings/members",
  "/login",
  "/invite"
] as const
export type DashboardPath = (typeof dashboardPaths)[number]
