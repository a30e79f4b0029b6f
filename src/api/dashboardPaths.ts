/** Paths at which the service serves the dashboard's HTML. */
export const dashboardPaths = [
  "/",
  "/upcoming",
  "/posts",
  "/posts/:id",
  "/compose",
  "/approvals",
  "/notifications",
  "/accounts",
  "/settings",
  "/settings/profile",
  "/settings/notifications",
  "/settings/queue",
  "/settings/agents",
  "/settings/keys",
  "/settings/webhooks",
  "/settings/members",
  "/login",
  "/invite",
  "/password"
] as const
export type DashboardPath = (typeof dashboardPaths)[number]
