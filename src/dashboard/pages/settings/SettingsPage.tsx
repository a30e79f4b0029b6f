import { useEffect } from "preact/hooks"
import { navigate } from "../../shared/router.tsx"

export const Page = () => {
  useEffect(() => navigate("/settings/profile", { replace: true }), [])
  return null
}
