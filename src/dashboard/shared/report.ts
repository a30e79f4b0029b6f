import { describeFailedChange, type Failure, type Outcome } from "../api/errors.ts"
import { invalidate } from "../api/query.ts"
import { toast, type ToastOptions } from "../ui/dialogs/Toasts.tsx"

/** Says that a change failed. A success with the same `about` ends the message. */
export const sayFailure = (error: Failure, about?: string) =>
  toast(describeFailedChange(error), { tone: "error", ...(about !== undefined && { about }) })

/** Shows the result in a toast. A success ends the message of an earlier failure. Reloads shown data under `path`. */
export const report = async (
  change: Promise<Outcome<unknown>>,
  path: string,
  done: string,
  options: ToastOptions = { tone: "success" }
) => {
  const outcome = await change
  invalidate(path)
  if (outcome.ok) toast(done, { about: done, ...options })
  else sayFailure(outcome.error, done)
}
