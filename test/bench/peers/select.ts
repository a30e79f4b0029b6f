// An upper limit: the statement that reads one post, in a loop, without HTTP.
import { answerParent, now } from "../support/answerParent.ts"
import { summarize } from "../support/statistics.ts"
import { findCaller, findPost } from "./store.ts"

interface Question {
  readonly seconds: number
  readonly connections: number
  readonly posts: ReadonlyArray<{ readonly key: string; readonly id: string }>
}

answerParent(async (question) => {
  const { connections, posts, seconds }: Question = JSON.parse(question)
  const times: Array<number> = []
  const began = now()
  const end = began + seconds * 1000
  let next = 0
  const loop = async () => {
    for (;;) {
      const sentAt = now()
      if (sentAt >= end) return
      const { id, key } = posts[next++ % posts.length] ?? { id: "", key: "" }
      const caller = await findCaller(`Bearer ${key}`)
      if ((await findPost(caller?.workspaceId ?? "", id)) === undefined) throw new Error(`There is no post ${id}`)
      times.push(now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: connections }, loop))
  return summarize(times, now() - began)
})
