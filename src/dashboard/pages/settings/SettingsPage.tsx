import { useEffect } from "preact/hooks"
import { navigate } from "../../shared/router.tsx"

/** Leads to the first of the settings. */
export const Page = () => {
  useEffect(() => {
    navigate("/settings/profile", { replace: true })
  }, [])
  return null
}
