import { describeFailure, type Failure, type Outcome } from "../api/errors.ts"
import { toast, type ToastOptions } from "../ui/dialogs/Toasts.tsx"

export const sayFailure = (error: Failure) => {
  toast(describeFailure(error), { tone: "error" })
}

/** Says how a person's action ended. */
export const report = (outcome: Outcome<unknown>, done: string, options: ToastOptions = { tone: "success" }) => {
  if (outcome.ok) toast(done, options)
  else sayFailure(outcome.error)
}
