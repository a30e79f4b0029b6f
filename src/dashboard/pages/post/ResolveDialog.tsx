import { useState } from "preact/hooks"
import type { LivePlatform } from "../../../domain/platform.ts"
import { describeRest } from "../../api/errors.ts"
import { fieldError } from "../../api/fieldWords.ts"
import { resolveTarget } from "../../api/postActions.ts"
import type { PostJson } from "../../api/posts.ts"
import { useMutation } from "../../api/query.ts"
import { Checkbox } from "../../ui/controls/Field.tsx"
import { TextField } from "../../ui/controls/TextField.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { platformName } from "../../../domain/plain/platforms.ts"
import type { Cursor } from "../../shared/threadState.ts"

const hints = {
  followed: "Needed, because the next part replies to it. It can’t be changed later.",
  last: "Optional. It is linked from here, and can’t be changed later."
}

export interface ResolveDialogProps {
  readonly post: PostJson
  readonly platform: LivePlatform
  readonly cursor: Cursor | undefined
  readonly onClose: () => void
}

export const ResolveDialog = ({ cursor, onClose, platform, post }: ResolveDialogProps) => {
  const [url, setUrl] = useState("")
  const [continues, setContinues] = useState(false)
  const part = cursor?.part
  const isFollowed = cursor !== undefined && part !== undefined && part < cursor.parts
  const what = part === undefined ? "It" : `Part ${part}`
  const resolve = useMutation(
    () =>
      resolveTarget(post, platform, {
        outcome: "published",
        ...(url.trim() === "" ? {} : { url: url.trim() }),
        ...(isFollowed && { continue: continues })
      }),
    { invalidates: ["/v1/posts"] }
  )
  const submit = async () => {
    const outcome = await resolve.run(undefined)
    if (!outcome.ok) return
    const rest = isFollowed && continues ? ". The rest goes out now" : ""
    toast(`Noted: ${what.toLowerCase()} is out on ${platformName(platform)}${rest}`, { tone: "success" })
    onClose()
  }
  return (
    <FormDialog
      title={`${what} is out on ${platformName(platform)}`}
      action="Mark as published"
      onSubmit={() => void submit()}
      onClose={onClose}
      busy={resolve.isPending}
      disabled={isFollowed && url.trim() === ""}
      problem={describeRest(resolve.error, ["url"])}
    >
      <TextField
        label={part === undefined ? "Address of the post" : `Address of part ${part}`}
        hint={isFollowed ? hints.followed : hints.last}
        error={fieldError(resolve.error, "url")}
        type="url"
        value={url}
        autofocus
        placeholder="https://"
        onValue={setUrl}
      />
      {isFollowed && (
        <Checkbox
          label={
            part + 1 === cursor.parts
              ? `Send part ${cursor.parts} now`
              : `Send parts ${part + 1} to ${cursor.parts} now`
          }
          hint="Without it they wait until somebody publishes the post again."
          checked={continues}
          onChange={setContinues}
        />
      )}
    </FormDialog>
  )
}
