import { useState } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { invalidate } from "../../api/query.ts"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { type Choice, type Job, nameCount, type Refusal, type SendOutcome } from "./action.ts"
import { sayRefusal, send } from "./send.ts"

export const useRun = () => {
  const [running, setRunning] = useState<Choice>()
  const run = async (
    choice: Choice,
    post: PostJson,
    onRefused: (refusal: Refusal, job: Job) => void = (refusal, job) => sayRefusal(job, refusal)
  ): Promise<SendOutcome | undefined> => {
    const request = choice.request(post, new Date())
    if (typeof request === "string") {
      toast(request, { tone: "error", about: post.id })
      return undefined
    }
    setRunning(choice)
    const job = { post, request }
    const outcome = await send(job)
    setRunning(undefined)
    if (!outcome.ok) onRefused(outcome, job)
    else if (choice.done !== undefined) {
      toast(choice.done(nameCount(1), { before: post, after: outcome.data }), { tone: "success", about: post.id })
    }
    invalidate("/v1/posts")
    return outcome
  }
  return { run, running }
}
