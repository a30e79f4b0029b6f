import { serviceNow } from "../../api/clock.ts"
import { describeFailure } from "../../api/errors.ts"
import { useIntent } from "../../api/idempotency.ts"
import { createPost, type NewPostJson } from "../../api/postActions.ts"
import { useMutation } from "../../api/query.ts"
import { navigate } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { type ComposeForm, toNewPost } from "./form.ts"

interface KeepAsDraftProps {
  readonly form: ComposeForm
  /** Called once it is saved. */
  readonly onKept: () => void
}

/** Saves what was typed for a post that can't be changed any more as a draft of its own. */
export const KeepAsDraft = ({ form, onKept }: KeepAsDraftProps) => {
  const intend = useIntent()
  const keep = useMutation((body: NewPostJson) => intend(body, createPost), { invalidates: ["/v1/posts"] })
  const run = async () => {
    // A time that has passed would be refused.
    const at = form.at !== null && new Date(form.at) > serviceNow() ? form.at : null
    const outcome = await keep.run(toNewPost(form, form.platforms ?? [], { status: "draft", at }))
    if (!outcome.ok) {
      toast(describeFailure(outcome.error), { tone: "error" })
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
