import { describeFailure } from "../../api/errors.ts"
import { type KeyJson, revokeKey } from "../../api/keys.ts"
import { invalidate } from "../../api/query.ts"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"

/** Render `dialog`. */
export const useRevokeKey = ({ id, name }: KeyJson) => {
  const { confirm, dialog } = useConfirm()
  const revoke = async () => {
    const isSure = await confirm({
      title: `Revoke ${name}?`,
      text: "Programs that use it are refused within seconds. This can’t be undone.",
      action: "Revoke",
      danger: true
    })
    if (!isSure) return
    const outcome = await revokeKey(id)
    invalidate("/v1/keys")
    if (outcome.ok) toast(`Revoked ${name}`, { tone: "success" })
    else toast(describeFailure(outcome.error), { tone: "error" })
  }
  return { revoke, dialog }
}
