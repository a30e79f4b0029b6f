import { Schema } from "effect"
import { preparedPostReader, storedForm } from "../preparedPost.ts"
import { ThreadsId } from "./syntax.ts"

const storedAs = storedForm("ThreadsPost")

const Kind = Schema.Literals(["TEXT", "IMAGE", "VIDEO", "CAROUSEL"])

const ThreadsPost = Schema.Struct({
  ...storedAs.fields,
  accountId: ThreadsId,
  text: Schema.String,
  kind: Kind,
  /** Threads' id of the replied-to post. */
  replyTo: Schema.optionalKey(ThreadsId),
  /** The container that is published. Absent if the post was prepared only to be looked for. */
  container: Schema.optionalKey(ThreadsId),
  /** The time before which the container was made. */
  madeAt: Schema.DateTimeUtcFromString
})
export type ThreadsPost = typeof ThreadsPost.Type

const encode = Schema.encodeSync(ThreadsPost)

export const encodePost = (post: Omit<ThreadsPost, "_tag" | "version">) => encode({ ...storedAs.members, ...post })

export const readPost = preparedPostReader("Threads", ThreadsPost, ({ accountId }) => accountId)
