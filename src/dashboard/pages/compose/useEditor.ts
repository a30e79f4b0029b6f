import type { PostJson } from "../../api/posts.ts"
import type { Accounts } from "../../shared/accounts/useAccounts.ts"
import type { Draft } from "../../shared/drafts/useDraft.ts"
import { wholeForm } from "./composing.ts"
import { type ComposeForm, toNewPost } from "./form.ts"
import { isRefusedNow, sortIssues } from "./issues.ts"
import { useComposer } from "./useComposer.ts"
import { useValidation } from "./validation.ts"

export interface EditorOptions {
  readonly draft: Draft<ComposeForm>
  readonly accounts: Accounts
  readonly post: PostJson | undefined
  readonly isGone?: boolean
  /** Called with the id of the draft as which a new post was saved by itself. */
  readonly onBegun?: (id: string) => void
}

export const useEditor = ({ accounts, draft, isGone = false, onBegun, post }: EditorOptions) => {
  const connected = accounts.all?.map(({ platform }) => platform).toReversed() ?? []
  const composer = useComposer({ connected, draft, isGone, onBegun, post })
  const { parts, platforms, state } = composer
  const { failure, form, isAsked } = state
  const { isCurrent, result } = useValidation(
    toNewPost(wholeForm(state), platforms, { status: "scheduled", at: form.at }),
    parts.flatMap(({ media }) => media.map(({ problem, type }) => `${type} ${problem}`)).join()
  )
  const refused = failure?._tag === "ApiError" ? failure.errors : []
  /** A failure that no field shows. */
  const problem = refused.length > 0 ? undefined : failure
  const issues = sortIssues([...(result?.errors ?? []), ...(result?.warnings ?? []), ...refused], isAsked, {
    platforms,
    showsSettings: (post?.reply_to ?? null) === null
  })
  return {
    ...composer,
    accounts,
    connected,
    isGone,
    hasOther: draft.hasOther,
    isRefused: isCurrent && isRefusedNow(result?.errors ?? []),
    isRestored: draft.isRestored,
    issues,
    post,
    problem,
    result
  }
}

export type Editor = ReturnType<typeof useEditor>

export interface EditorProps {
  readonly editor: Editor
}
