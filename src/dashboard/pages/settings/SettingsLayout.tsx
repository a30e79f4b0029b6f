import type { ComponentChildren } from "preact"
import { useMe } from "../../shared/me.ts"
import { PageHeader } from "../../shared/page/PageHeader.tsx"
import { Link, useLocation } from "../../shared/router.tsx"

const places = [
  { path: "/settings/profile", label: "Profile" },
  { path: "/settings/notifications", label: "Notifications" },
  { path: "/settings/queue", label: "Queue" },
  { path: "/settings/agents", label: "Agents" },
  { path: "/settings/keys", label: "API keys" },
  { path: "/settings/webhooks", label: "Webhooks" },
  { path: "/settings/chat", label: "Chat" },
  { path: "/settings/members", label: "Members" }
]

/** The first places, which need no role. */
const placesOfAll = 3

export interface SettingsLayoutProps {
  readonly description: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

export const SettingsLayout = ({ actions, children, description }: SettingsLayoutProps) => {
  const { path } = useLocation()
  const isAdmin = useMe().caller.role === "admin"
  const shown = isAdmin ? places : places.slice(0, placesOfAll)
  return (
    <div class="page">
      <PageHeader title="Settings" description={description} actions={actions} />
      <nav class="tabs settings-places" aria-label="Settings">
        {shown.map(({ label, path: target }) => (
          <Link key={target} href={target} class="tab" aria-current={path === target ? "page" : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </div>
  )
}
