import { serviceNow } from "../../api/clock.ts"
import type { PostJson } from "../../api/posts.ts"
import { useLeaveGuard } from "../../shared/router.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { askBeforeLeaving } from "./leaving.ts"
import type { Composer } from "./useComposer.ts"

/** Asks the person before they leave the composer and lose something. Returns the dialog, which the caller renders. */
export const useLeaveQuestion = (composer: Composer, post: PostJson | undefined) => {
  const { confirm, dialog } = useConfirm()
  const { state } = composer
  const question = askBeforeLeaving({ ...composer, post }, serviceNow())
  useLeaveGuard(question !== undefined, async ({ pathname, searchParams }) => {
    const staysHere = pathname === "/compose" && searchParams.get("post") === (state.form.id ?? post?.id ?? null)
    return staysHere || question === undefined || (await confirm(question))
  })
  return dialog
}
