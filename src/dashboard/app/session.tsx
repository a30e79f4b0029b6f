import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Scope } from "../../domain/people/apiKey.ts"
import type { Me } from "../api/session.ts"
import { forgetIdentity } from "../api/identity.ts"
import { clearQueries } from "../api/query.ts"
import { logOut, switchWorkspace } from "../api/session.ts"
import { describeFailure } from "../api/errors.ts"
import { toast } from "../ui/Toasts.tsx"
import { clearDrafts } from "./keptDrafts.ts"
import { dropGuard, mayLeave, navigate } from "./router.tsx"

const MeContext = createContext<Me | undefined>(undefined)
export const MeProvider = MeContext.Provider

/** Who is logged in. For pages within the shell, which are shown to nobody else. */
export const useMe = (): Me => {
  const me = useContext(MeContext)
  if (me === undefined) throw new Error("useMe is for pages within the shell")
  return me
}

/** Whether the person's role covers what needs a scope, such as `posts:write`. */
export const useCan = (): ((scope: Scope) => boolean) => {
  const { caller } = useMe()
  return (scope) => caller.scopes.includes(scope)
}

export const leave = async () => {
  if (!(await mayLeave())) return
  const outcome = await logOut()
  if (!outcome.ok && !(outcome.error._tag === "ApiError" && outcome.error.status === 401)) {
    toast(describeFailure(outcome.error), { tone: "error" })
    return
  }
  dropGuard()
  clearDrafts()
  clearQueries()
  forgetIdentity()
  navigate("/login")
}

export const changeWorkspace = async (id: string) => {
  if (!(await mayLeave())) return
  const outcome = await switchWorkspace(id)
  if (!outcome.ok) {
    toast(describeFailure(outcome.error), { tone: "error" })
    return
  }
  dropGuard()
  // All that is shown is another workspace's.
  window.location.assign("/")
}
