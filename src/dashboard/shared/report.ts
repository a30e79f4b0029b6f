import { describeFailure, type Failure, type Outcome } from "../api/errors.ts"
import { invalidate } from "../api/query.ts"
import { toast, type ToastOptions } from "../ui/dialogs/Toasts.tsx"

export const sayFailure = (error: Failure) => toast(describeFailure(error), { tone: "error" })

/** Shows the result in a toast. Reloads shown data under `path`, even after a failure. */
export const report = async (
  change: Promise<Outcome<unknown>>,
  path: string,
  done: string,
  options: ToastOptions = { tone: "success" }
) => {
  const outcome = await change
  invalidate(path)
  if (outcome.ok) toast(done, options)
  else sayFailure(outcome.error)
}
