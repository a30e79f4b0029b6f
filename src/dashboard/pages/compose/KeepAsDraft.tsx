import { serviceNow } from "../../api/clock.ts"
import { withIntent } from "../../api/idempotency.ts"
import { createPost, type NewPostJson } from "../../api/postActions.ts"
import { useMutation } from "../../api/query.ts"
import { sayFailure } from "../../shared/report.ts"
import { navigate } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { type ComposeForm, toKeptDraft } from "./form.ts"

interface KeepAsDraftProps {
  readonly form: ComposeForm
  readonly onKept: () => void
  /** Returns why the text can't be saved; undefined if it can. */
  readonly findProblem?: () => string | undefined
}

/** Saves a text as a new draft, because its post can no longer be changed. */
export const KeepAsDraft = ({ findProblem, form, onKept }: KeepAsDraftProps) => {
  const keep = useMutation(
    (body: NewPostJson) => withIntent(["create", body], (idempotencyKey) => createPost(body, idempotencyKey)),
    { invalidates: ["/v1/posts"] }
  )
  const run = async () => {
    const problem = findProblem?.()
    if (problem !== undefined) {
      toast(problem, { tone: "error" })
      return
    }
    const outcome = await keep.run(toKeptDraft(form, serviceNow()))
    if (!outcome.ok) {
      sayFailure(outcome.error)
      return
    }
    onKept()
    toast("Saved as a new draft", { tone: "success" })
    navigate(`/posts/${encodeURIComponent(outcome.data.id)}`, { force: true })
  }
  return (
    <Button size="small" busy={keep.isPending} onClick={() => void run()}>
      Save as a new draft
    </Button>
  )
}
