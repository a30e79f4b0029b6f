import { hasStatus } from "../api/errors.ts"
import { dropIdentity } from "../api/identity.ts"
import { clearQueries } from "../api/query.ts"
import { logOut, switchWorkspace } from "../api/session.ts"
import { dropRun, stopRun } from "../shared/bulk/currentRun.ts"
import { noSelection, selection } from "../shared/bulk/selection.ts"
import { clearDrafts, namesOfDrafts } from "../shared/drafts/keptDrafts.ts"
import { dropGuard, mayLeave, navigate } from "../shared/router.tsx"
import { sayFailure } from "../shared/report.ts"
import type { Confirm } from "../ui/dialogs/Confirm.tsx"
import { forgetPreferences } from "../shared/preferences.ts"

/** Asks first if a text would be lost that only this browser has. */
export const leave = async (confirm: Confirm) => {
  if (!(await mayLeave())) return
  if (
    namesOfDrafts().length > 0 &&
    !(await confirm({
      title: "Log out without saving?",
      text: "This browser has changes that were not saved. Logging out drops them.",
      action: "Log out",
      stay: "Stay"
    }))
  )
    return
  // The run is stopped, because its waiting requests would be sent at log-out, without a session or as the next person.
  stopRun()
  const outcome = await logOut()
  if (!outcome.ok && !hasStatus(outcome.error, 401)) {
    sayFailure(outcome.error)
    return
  }
  dropGuard()
  dropRun()
  selection.set(noSelection)
  // Other tabs see that nobody is logged in before they see that the drafts are removed. So they keep none again.
  dropIdentity()
  clearDrafts()
  forgetPreferences()
  clearQueries()
  navigate("/login")
}

export const changeWorkspace = async (id: string) => {
  if (!(await mayLeave())) return
  stopRun()
  const outcome = await switchWorkspace(id)
  if (!outcome.ok) {
    sayFailure(outcome.error)
    return
  }
  dropGuard()
  // A full load, because all known data belongs to the previous workspace.
  window.location.assign("/")
}
