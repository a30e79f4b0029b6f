import { useLocation } from "../../shared/router.tsx"
import { ForgotPassword } from "./ForgotPassword.tsx"
import { ResetPassword } from "./ResetPassword.tsx"

/** A mailed link has its secret in the fragment, which browsers send to no server. */
export const Page = () => {
  const { fragment } = useLocation()
  return fragment === "" ? <ForgotPassword /> : <ResetPassword token={fragment} />
}
