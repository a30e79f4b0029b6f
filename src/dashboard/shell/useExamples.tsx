import { examples, offersDemo, removeExamples } from "../api/examples.ts"
import { invalidate, useQuery } from "../api/query.ts"
import { useCan, useMe } from "../shared/me.ts"
import { sayFailure } from "../shared/report.ts"
import { useConfirm } from "../ui/dialogs/Confirm.tsx"
import { toast } from "../ui/dialogs/Toasts.tsx"

const countOf = (size: number): string => (size === 1 ? "1 example" : `${size} examples`)

/** `size` is 0 if the person's role can't remove examples. The caller has to render `dialog`. */
export const useExamples = () => {
  const { workspace } = useMe()
  const can = useCan()
  const { data } = useQuery(offersDemo && can("posts:delete") ? examples : undefined)
  const { confirm, dialog } = useConfirm()
  const size = data?.data.workspace_id === workspace.id ? data.data.posts : 0
  const label = countOf(size)

  const remove = async () => {
    const isSure = await confirm({
      title: `Remove ${label}?`,
      text: "The example posts are removed, including those that you changed, with their pictures and notifications. Your own posts stay.",
      action: "Remove",
      danger: true
    })
    if (!isSure) return
    const outcome = await removeExamples()
    invalidate("/v1", examples.path)
    if (!outcome.ok) sayFailure(outcome.error, examples.path)
    else toast(`Removed ${countOf(outcome.data.data.deleted)}`, { tone: "success", about: examples.path })
  }

  return { size, label, remove: () => void remove(), confirm, dialog }
}
