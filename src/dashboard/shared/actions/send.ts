import { formatEtag } from "../../../domain/plain/posts.ts"
import { request } from "../../api/client.ts"
import { hasCode, type Outcome } from "../../api/errors.ts"
import { approvePost, deletePost, publishPost, rejectPost, updatePost } from "../../api/postActions.ts"
import { firstWords, onePost, type OnePostJson, type PostJson } from "../../api/posts.ts"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { type HistoryPage, lastEntry } from "../../api/history.ts"
import { afterConflict, type Job, type Refusal, type SendOutcome } from "./action.ts"
import { navigate } from "../router.tsx"
import { describeRefusal, type Refused, stepAfter } from "./refusal.ts"

const postIn = async (sent: Promise<Outcome<OnePostJson>>): Promise<Outcome<PostJson>> => {
  const outcome = await sent
  return outcome.ok ? { ok: true, data: outcome.data.data } : outcome
}

const sendOnce = async ({ post, request: change }: Job): Promise<Outcome<PostJson | undefined>> => {
  const { id, revision } = post
  switch (change.kind) {
    case "delete": {
      const outcome = await deletePost(post)
      return outcome.ok ? { ok: true, data: undefined } : outcome
    }
    case "publish":
      return postIn(publishPost(post))
    case "approve":
      return postIn(approvePost(id, { revision, ...change.order }))
    case "reject":
      return postIn(rejectPost(id, { revision, reason: change.reason }))
    case "change":
      return postIn(updatePost(id, change.body, formatEtag(post)))
  }
}

export const send = async (job: Job): Promise<SendOutcome> => {
  const outcome = await sendOnce(job)
  if (outcome.ok || !hasCode(outcome.error, "revision_mismatch", "invalid_state")) return outcome
  const { id } = job.post
  const [current, last] = await Promise.all([
    postIn(request<OnePostJson>("GET", onePost(id).path)),
    request<HistoryPage>("GET", lastEntry(id).path)
  ])
  return { ...afterConflict(outcome, current), by: last.ok ? last.data.data[0]?.by?.name : undefined }
}

const maxName = 32

const nameOf = (post: PostJson): string => {
  const words = firstWords(post)
  return `“${words.length > maxName ? `${words.slice(0, maxName - 1).trimEnd()}…` : words}”`
}

export const describeOne = (refused: Refused, refusal: Refusal): string =>
  describeRefusal(refusal, refused, nameOf(refused.post))

export const sayRefusal = (refused: Refused, refusal: Refusal) => {
  const step = stepAfter(refused, refusal)
  toast(describeOne(refused, refusal), {
    tone: "error",
    about: refused.post.id,
    ...(step && { action: { label: step.label, run: () => navigate(step.path) } })
  })
}
