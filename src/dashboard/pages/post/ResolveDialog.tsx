import { useState } from "preact/hooks"
import type { LivePlatform } from "../../../domain/platform.ts"
import { describeRest, fieldError } from "../../api/errors.ts"
import { resolveTarget } from "../../api/postActions.ts"
import type { PostJson } from "../../api/posts.ts"
import { useMutation } from "../../api/query.ts"
import { Field, Input } from "../../ui/controls/Field.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { platformNames } from "../../../domain/plain/platforms.ts"

export interface ResolveDialogProps {
  readonly post: PostJson
  readonly platform: LivePlatform
  readonly onClose: () => void
}

/** A person has seen that a post is out, and can say where. */
export const ResolveDialog = ({ onClose, platform, post }: ResolveDialogProps) => {
  const [url, setUrl] = useState("")
  const resolve = useMutation(
    () =>
      resolveTarget(post.id, platform, {
        outcome: "published",
        ...(url.trim() === "" ? {} : { url: url.trim() })
      }),
    { invalidates: ["/v1/posts"] }
  )
  const submit = async () => {
    const outcome = await resolve.run(undefined)
    if (!outcome.ok) return
    toast(`Noted: it is out on ${platformNames[platform]}`, { tone: "success" })
    onClose()
  }
  return (
    <FormDialog
      title={`It is out on ${platformNames[platform]}`}
      action="Mark as published"
      onSubmit={() => void submit()}
      onClose={onClose}
      busy={resolve.isPending}
      problem={describeRest(resolve.error, ["url"])}
    >
      <Field
        label="Address of the post"
        hint="Optional. It is linked from here."
        error={fieldError(resolve.error, "url")}
      >
        {(control) => <Input {...control} type="url" value={url} autofocus placeholder="https://" onValue={setUrl} />}
      </Field>
    </FormDialog>
  )
}
