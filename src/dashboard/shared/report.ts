import { describeFailure, type Failure, type Outcome } from "../api/errors.ts"
import { invalidate } from "../api/query.ts"
import { toast, type ToastOptions } from "../ui/dialogs/Toasts.tsx"

export const sayFailure = (error: Failure) => {
  toast(describeFailure(error), { tone: "error" })
}

/** Says how a change ended, and reloads the shown data under `path`, even if it failed. */
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
