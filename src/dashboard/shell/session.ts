import { describeFailure } from "../api/errors.ts"
import { dropIdentity } from "../api/identity.ts"
import { clearQueries } from "../api/query.ts"
import { logOut, switchWorkspace } from "../api/session.ts"
import { clearDrafts } from "../shared/drafts/keptDrafts.ts"
import { dropGuard, mayLeave, navigate } from "../shared/router.tsx"
import { forgetPreferences } from "../shared/preferences.ts"
import { toast } from "../ui/dialogs/Toasts.tsx"

/** Logs out, and leaves nothing of the person in the browser. */
export const leave = async () => {
  if (!(await mayLeave())) return
  const outcome = await logOut()
  if (!outcome.ok && !(outcome.error._tag === "ApiError" && outcome.error.status === 401)) {
    toast(describeFailure(outcome.error), { tone: "error" })
    return
  }
  dropGuard()
  clearDrafts()
  forgetPreferences()
  clearQueries()
  dropIdentity()
  navigate("/login")
}

/** Goes on in another workspace of the person. */
export const changeWorkspace = async (id: string) => {
  if (!(await mayLeave())) return
  const outcome = await switchWorkspace(id)
  if (!outcome.ok) {
    toast(describeFailure(outcome.error), { tone: "error" })
    return
  }
  dropGuard()
  // All that is known is of the workspace before.
  window.location.assign("/")
}
