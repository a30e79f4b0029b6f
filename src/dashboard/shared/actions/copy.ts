import { request } from "../../api/client.ts"
import { type IntegrationsJson, integrations } from "../../api/integrations.ts"
import { type CopyJson, copyPost, deletePost } from "../../api/postActions.ts"
import { onePost, type PostJson } from "../../api/posts.ts"
import { invalidate, readData, setData } from "../../api/query.ts"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { navigate } from "../router.tsx"
import { editPath } from "./openers.ts"
import { copiedWords } from "./copiedWords.ts"
import { sayRefusal } from "./send.ts"

type PostPlatforms = NonNullable<CopyJson["platforms"]>

let isUnderWay = false

/** Copies a post, and opens the copy in the composer. `unconnected` are platforms that the copy leaves out. */
export const copy = async (post: PostJson, body: CopyJson, unconnected: PostPlatforms = []) => {
  if (isUnderWay) return
  isUnderWay = true
  const outcome = await copyPost(post.id, body)
  isUnderWay = false
  invalidate("/v1/posts")
  if (!outcome.ok) {
    sayRefusal({ post }, outcome)
    return
  }
  const { data, warnings } = outcome.data
  setData(onePost(data.id), { data })
  const from = `${window.location.pathname}${window.location.search}`
  const undo = async () => {
    const deleted = await deletePost(data)
    invalidate("/v1/posts")
    if (deleted.ok) navigate(from, { force: true })
    else sayRefusal({ post: data }, deleted)
  }
  toast(copiedWords(warnings, unconnected), {
    tone: "success",
    action: { label: "Undo", run: () => void undo() }
  })
  navigate(editPath(data.id))
}

/** Undefined if the accounts can't be loaded. */
const readAccounts = async () => {
  const known = readData(integrations)
  if (known !== undefined) return known.data
  const outcome = await request<IntegrationsJson>("GET", integrations.path)
  return outcome.ok ? outcome.data.data : undefined
}

/** Copies a post for those of its platforms that are still connected. Without any, the service refuses the copy. */
export const duplicatePost = async (post: PostJson) => {
  const accounts = await readAccounts()
  const platforms = post.post_targets.map(({ integrations: { platform } }) => platform)
  const connected = platforms.filter((platform) => accounts?.some((account) => account.platform === platform))
  if (connected.length === 0 || connected.length === platforms.length) return copy(post, {})
  const left = platforms.filter((platform) => !connected.includes(platform))
  return copy(post, { platforms: connected }, left)
}
