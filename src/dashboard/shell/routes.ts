import type { ComponentType } from "preact"
import type { DashboardPath } from "../../api/dashboardPaths.ts"
import type { Scope } from "../../domain/people/apiKey.ts"
import type { PageProps } from "../shared/router.tsx"

interface PageModule {
  readonly Page: ComponentType<PageProps>
}

export interface Route {
  readonly path: string
  /** Also shown in the top bar on small screens. */
  readonly title: string
  /** Used instead if the address names a post to change. */
  readonly editTitle?: string
  readonly load: () => Promise<PageModule>
  /** True for a page without the navigation around it. */
  readonly isPublic?: boolean
  /** Without this scope, the page says who can give access. */
  readonly scope?: Scope
  readonly isAdmin?: boolean
  /** True if the page needs no styles beyond those of the first load. */
  readonly hasFirstStyles?: boolean
  /** True if an `autofocus` field gets the keys pressed while the page loads. */
  readonly startsWithField?: boolean
}

const routes: Readonly<Record<DashboardPath, Omit<Route, "path">>> = {
  "/": { title: "Calendar", load: () => import("../pages/calendar/CalendarPage.tsx"), hasFirstStyles: true },
  "/upcoming": { title: "Upcoming", load: () => import("../pages/upcoming/UpcomingPage.tsx") },
  "/posts": { title: "Posts", load: () => import("../pages/posts/PostsPage.tsx") },
  "/posts/:id": { title: "Post", load: () => import("../pages/post/PostView.tsx") },
  "/compose": {
    title: "New post",
    editTitle: "Edit post",
    load: () => import("../pages/compose/ComposePage.tsx"),
    scope: "posts:write",
    startsWithField: true
  },
  "/approvals": { title: "Approvals", load: () => import("../pages/approvals/ApprovalsPage.tsx") },
  "/notifications": {
    title: "Notifications",
    load: () => import("../pages/notifications/NotificationsPage.tsx")
  },
  "/accounts": { title: "Accounts", load: () => import("../pages/accounts/AccountsPage.tsx") },
  "/settings": { title: "Settings", load: () => import("../pages/settings/SettingsPage.tsx") },
  "/settings/profile": { title: "Profile", load: () => import("../pages/settings/ProfilePage.tsx") },
  "/settings/notifications": {
    title: "Notifications",
    load: () => import("../pages/settings/MailPage.tsx")
  },
  "/settings/queue": { title: "Queue", load: () => import("../pages/settings/QueuePage.tsx") },
  "/settings/agents": { title: "Agents", load: () => import("../pages/settings/AgentsPage.tsx"), isAdmin: true },
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
  "/password": { title: "Password", load: () => import("../pages/password/PasswordPage.tsx"), isPublic: true },
  "/invite": { title: "Invitation", load: () => import("../pages/invite/InvitePage.tsx"), isPublic: true }
}

/** `pattern` is like `/posts/:id`. */
const matchPath = (pattern: string, path: string): Readonly<Record<string, string>> | undefined => {
  const expected = pattern.split("/")
  const actual = (path === "/" ? path : path.replace(/\/$/, "")).split("/")
  if (expected.length !== actual.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const value = actual[index] ?? ""
    if (part.startsWith(":") && value !== "") params[part.slice(1)] = value
    else if (part !== value) return undefined
  }
  return params
}

export interface Matched {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

export const titleOf = (matched: Matched | undefined, query: URLSearchParams): string => {
  if (matched === undefined) return "Not found"
  const { editTitle, title } = matched.route
  return editTitle !== undefined && query.has("post") ? editTitle : title
}

export const findRoute = (path: string): Matched | undefined => {
  for (const [pattern, route] of Object.entries(routes)) {
    const params = matchPath(pattern, path)
    if (params !== undefined) return { route: { ...route, path: pattern }, params }
  }
  return undefined
}
