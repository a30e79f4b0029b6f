import { describeFailure } from "../api/errors.ts"
import { useIntent } from "../api/idempotency.ts"
import { type CopyJson, copyPost } from "../api/postActions.ts"
import { onePost, type PostJson } from "../api/posts.ts"
import { setData, useMutation } from "../api/query.ts"
import { toast } from "../ui/dialogs/Toasts.tsx"
import { useAccounts } from "./accounts/useAccounts.ts"
import { copiedWords } from "./copiedWords.ts"
import { useCan } from "./me.ts"
import { navigate } from "./router.tsx"

type PostPlatforms = NonNullable<CopyJson["platforms"]>

/** Copies posts to drafts, and opens the copy to be changed. `copy` is undefined where the person's role can't copy. */
export const useCopy = () => {
  const can = useCan()
  const { all } = useAccounts()
  const intend = useIntent()
  const mutation = useMutation(
    ({ body, id }: { readonly id: string; readonly body: CopyJson }) =>
      intend({ id, body }, (of, key) => copyPost(of.id, of.body, key)),
    { invalidates: ["/v1/posts"] }
  )

  const run = async (id: string, body: CopyJson, unconnected: PostPlatforms = []) => {
    if (mutation.isPending) return
    const outcome = await mutation.run({ id, body })
    if (!outcome.ok) {
      toast(describeFailure(outcome.error), { tone: "error" })
      return
    }
    const { data, warnings } = outcome.data
    setData(onePost(data.id), { data })
    toast(copiedWords(warnings, unconnected), { tone: "success" })
    navigate(`/compose?post=${encodeURIComponent(data.id)}`)
  }

  /** Copies a post for those of its platforms that are connected still. */
  const duplicate = (post: PostJson) => {
    const platforms = post.post_targets.map(({ integrations }) => integrations.platform)
    const connected = platforms.filter((platform) => all?.some((account) => account.platform === platform))
    // Where none is, or the accounts are not known, the service says so.
    const isPart = connected.length > 0 && connected.length < platforms.length
    const left = platforms.filter((platform) => !connected.includes(platform))
    return isPart ? run(post.id, { platforms: connected }, left) : run(post.id, {})
  }

  const copyMissing = (post: PostJson, platforms: PostPlatforms) => run(post.id, { what: "missing", platforms })

  /** Copies the whole post for one of its platforms. */
  const duplicateFor = (post: PostJson, platform: PostPlatforms[number]) => run(post.id, { platforms: [platform] })

  return {
    duplicateFor: can("posts:write") ? duplicateFor : undefined,
    duplicate: can("posts:write") ? duplicate : undefined,
    copyMissing: can("posts:write") ? copyMissing : undefined,
    isPending: mutation.isPending
  }
}
