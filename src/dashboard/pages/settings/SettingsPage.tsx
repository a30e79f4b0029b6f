import { useEffect } from "preact/hooks"
import { useMe } from "../../shared/me.ts"
import { navigate } from "../../shared/router.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import { SettingsLayout } from "./SettingsLayout.tsx"

/** Leads admins to the first of the settings, and says to others whom to ask. */
export const Page = () => {
  const isAdmin = useMe().caller.role === "admin"
  useEffect(() => {
    if (isAdmin) navigate("/settings/keys", { replace: true })
  }, [isAdmin])
  if (isAdmin) return null
  return (
    <SettingsLayout description="API keys, webhooks and members of this workspace">
      <EmptyState icon="settings" title="For admins">
        <p>Admins of this workspace manage its API keys, webhooks and members. Ask one of them if you need a change.</p>
      </EmptyState>
    </SettingsLayout>
  )
}
