import { useState } from "preact/hooks"
import { describeFailedChange } from "../../api/errors.ts"
import { keys } from "../../api/keys.ts"
import { removeMember } from "../../api/members.ts"
import { useMutation, useQuery } from "../../api/query.ts"
import { LoadError } from "../../shared/page/LoadError.tsx"
import { Checkbox } from "../../ui/controls/Field.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Skeleton } from "../../ui/display/Skeleton.tsx"
import { useNow } from "../../ui/time/Time.tsx"
import { isEnded } from "./KeyRow.tsx"

export interface RemoveDialogProps {
  readonly userId: string
  readonly email: string
  readonly isOwn: boolean
  readonly onClose: () => void
}

/** The member's keys keep working unless they are revoked. */
export const RemoveDialog = ({ email, isOwn, onClose, userId }: RemoveDialogProps) => {
  const list = useQuery(keys)
  const now = useNow()
  const [revokes, setRevokes] = useState(false)
  const removal = useMutation(() => removeMember(userId, revokes), {
    invalidates: ["/v1/members", "/v1/invites", "/v1/keys", "/v1/me"]
  })
  const made = list.data?.data.filter((key) => key.created_by?.id === userId && !isEnded(key, now)) ?? []

  const remove = async () => {
    const outcome = await removal.run(undefined)
    if (!outcome.ok) return
    const revoked = outcome.data.data.revoked_keys.length
    const andKeys = revoked === 0 ? "" : `, and revoked ${revoked === 1 ? "1 key" : `${revoked} keys`}`
    toast(`${isOwn ? "You left the workspace" : `Removed ${email}`}${andKeys}`, { tone: "success" })
    onClose()
  }

  return (
    <FormDialog
      title={isOwn ? "Leave this workspace?" : `Remove ${email}?`}
      action={isOwn ? "Leave" : "Remove"}
      danger
      size="small"
      busy={removal.isPending}
      disabled={list.isLoading}
      problem={removal.error === undefined ? undefined : describeFailedChange(removal.error)}
      onSubmit={() => void remove()}
      onClose={onClose}
    >
      <p>
        {isOwn
          ? "You need another invitation to come back."
          : "Their access ends immediately, and the log of mail to them is deleted. What they wrote stays."}
      </p>
      {list.isLoading && <Skeleton lines={2} />}
      <LoadError error={list.error} onRetry={list.refetch} />
      {made.length > 0 && (
        <>
          <p>
            {isOwn ? "You have" : "They have"} made {made.length === 1 ? "a key that works" : "keys that work"} on:
          </p>
          <ul class="removal-keys" aria-label="Keys">
            {made.map(({ id, name, prefix }) => (
              <li key={id} class="truncate" title={name}>
                {name} <code class="secondary">{prefix}…</code>
              </li>
            ))}
          </ul>
          <Checkbox
            label={made.length === 1 ? "Revoke this key as well" : `Revoke these ${made.length} keys as well`}
            hint="Programs that use them are refused within seconds."
            checked={revokes}
            onChange={setRevokes}
          />
        </>
      )}
    </FormDialog>
  )
}
