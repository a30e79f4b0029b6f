import type { ComponentType } from "preact"
import type { Scope } from "../../domain/apiKey.ts"
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

/** Every page. The service's list is in src/http/operations/dashboard.ts. */
export const routes: ReadonlyArray<Route> = [
  { path: "/", title: "Calendar", load: () => import("../pages/calendar/CalendarPage.tsx") },
  { path: "/posts", title: "Posts", load: () => import("../pages/posts/PostsPage.tsx") },
  { path: "/posts/:id", title: "Post", load: () => import("../pages/post/PostPage.tsx") },
  {
    path: "/compose",
    title: "New post",
    load: () => import("../pages/compose/ComposePage.tsx"),
    scope: "posts:write"
  },
  { path: "/approvals", title: "Approvals", load: () => import("../pages/approvals/ApprovalsPage.tsx") },
  {
    path: "/notifications",
    title: "Notifications",
    load: () => import("../pages/notifications/NotificationsPage.tsx")
  },
  { path: "/accounts", title: "Accounts", load: () => import("../pages/accounts/AccountsPage.tsx") },
  { path: "/settings", title: "Settings", load: () => import("../pages/settings/SettingsPage.tsx") },
  { path: "/settings/keys", title: "API keys", load: () => import("../pages/settings/KeysPage.tsx"), isAdmin: true },
  {
    path: "/settings/webhooks",
    title: "Webhooks",
    load: () => import("../pages/settings/WebhooksPage.tsx"),
    isAdmin: true
  },
  {
    path: "/settings/members",
    title: "Members",
    load: () => import("../pages/settings/MembersPage.tsx"),
    isAdmin: true
  },
  { path: "/login", title: "Log in", load: () => import("../pages/login/LoginPage.tsx"), isPublic: true },
  { path: "/invite", title: "Invitation", load: () => import("../pages/invite/InvitePage.tsx"), isPublic: true }
]

export interface Matched {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

export const findRoute = (path: string): Matched | undefined => {
  for (const route of routes) {
    const params = matchPath(route.path, path)
    if (params !== undefined) return { route, params }
  }
  return undefined
}
