import type { ComponentType } from "preact"
import type { DashboardPath } from "../../api/dashboardPaths.ts"
import type { Scope } from "../../domain/people/apiKey.ts"
import { matchPath } from "./router.tsx"

export interface PageProps {
  /** Of the path, such as `id` in `/posts/:id`. */
  readonly params: Readonly<Record<string, string>>
}

interface PageModule {
  readonly Page: ComponentType<PageProps>
}

export interface Route {
  readonly path: string
  /** Of the document, and of the top bar on small screens. */
  readonly title: string
  readonly load: () => Promise<PageModule>
  /** Whether it stands alone, for people who are not logged in. */
  readonly isPublic?: boolean
  /** Without it, the page says who can give access. */
  readonly scope?: Scope
  /** For admins alone. */
  readonly isAdmin?: boolean
}

/** A page for each path at which the service has the dashboard. */
const routes: Readonly<Record<DashboardPath, Omit<Route, "path">>> = {
  "/": { title: "Calendar", load: () => import("../pages/calendar/CalendarPage.tsx") },
  "/posts": { title: "Posts", load: () => import("../pages/posts/PostsPage.tsx") },
  "/posts/:id": { title: "Post", load: () => import("../pages/post/PostPage.tsx") },
  "/compose": {
    title: "New post",
    load: () => import("../pages/compose/ComposePage.tsx"),
    scope: "posts:write"
  },
  "/approvals": { title: "Approvals", load: () => import("../pages/approvals/ApprovalsPage.tsx") },
  "/notifications": {
    title: "Notifications",
    load: () => import("../pages/notifications/NotificationsPage.tsx")
  },
  "/accounts": { title: "Accounts", load: () => import("../pages/accounts/AccountsPage.tsx") },
  "/settings": { title: "Settings", load: () => import("../pages/settings/SettingsPage.tsx") },
  "/settings/keys": { title: "API keys", load: () => import("../pages/settings/KeysPage.tsx"), isAdmin: true },
  "/settings/webhooks": {
    title: "Webhooks",
    load: () => import("../pages/settings/WebhooksPage.tsx"),
    isAdmin: true
  },
  "/settings/members": {
    title: "Members",
    load: () => import("../pages/settings/MembersPage.tsx"),
    isAdmin: true
  },
  "/login": { title: "Log in", load: () => import("../pages/login/LoginPage.tsx"), isPublic: true },
  "/invite": { title: "Invitation", load: () => import("../pages/invite/InvitePage.tsx"), isPublic: true }
}

export interface Matched {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

export const findRoute = (path: string): Matched | undefined => {
  for (const [pattern, route] of Object.entries(routes)) {
    const params = matchPath(pattern, path)
    if (params !== undefined) return { route: { ...route, path: pattern }, params }
  }
  return undefined
}
