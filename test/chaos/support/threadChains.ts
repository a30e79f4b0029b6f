import { LivePlatform } from "../../../src/domain/platform.ts"
import { standIns } from "../../../src/platforms/standIns.ts"
import type { StandInPost } from "./standInProcess.ts"
import type { RequestedThread } from "./threadLoad.ts"

/** The name of a post in the replies to it. */
export const nameInReplies = ({ platform, ...post }: Pick<StandInPost, "accountId" | "id" | "platform">) =>
  standIns[platform].identity(post)

/** Groups the posts of a timeline by the post that they reply to. */
const byParent = (posts: ReadonlyArray<StandInPost>) => Map.groupBy(posts, ({ reply }) => reply?.parent ?? null)

/** The posts that reply to a post. */
export const repliesTo = (posts: ReadonlyArray<StandInPost>, name: string): ReadonlyArray<StandInPost> =>
  posts.filter(({ reply }) => reply?.parent === name)

/** The threads of a timeline, each from its first post along the replies. A single post is a thread of one. */
export const threadsOn = (posts: ReadonlyArray<StandInPost>): ReadonlyArray<ReadonlyArray<StandInPost>> => {
  const replies = byParent(posts)
  return (replies.get(null) ?? []).map((first) => {
    const thread = [first]
    for (let last: StandInPost | undefined = first; last !== undefined;) {
      last = replies.get(nameInReplies(last))?.[0]
      if (last !== undefined) thread.push(last)
    }
    return thread
  })
}

/** Errors in the threads of one account's timeline. Missing last parts are not errors, because they may still come. */
const wrongOn = (
  posts: ReadonlyArray<StandInPost>,
  requested: ReadonlyArray<RequestedThread>,
  platform: LivePlatform
): ReadonlyArray<string> => {
  const name = ({ text }: StandInPost) => `${platform}: “${text}”`
  const wrong: Array<string> = []
  const known = new Map(posts.map((post) => [nameInReplies(post), post]))
  for (const [parent, replies] of byParent(posts)) {
    if (parent === null) continue
    if (!known.has(parent)) wrong.push(...replies.map((reply) => `out of order: ${name(reply)} replies to nothing`))
    if (replies.length > 1) wrong.push(`doubled: ${replies.map(name).join(" and ")} reply to one post`)
  }
  const threads = threadsOn(posts)
  for (const thread of threads) {
    const [first] = thread
    if (first === undefined) continue
    const wanted = requested.filter(({ chains }) => chains[platform][0]?.text === first.text)
    const alike = threads.filter((other) => other[0]?.text === first.text)
    if (alike.length > wanted.length) {
      wrong.push(`doubled: ${name(first)} is out ${alike.length} times, requested ${wanted.length} times`)
    }
    const [request] = wanted
    if (request === undefined) continue
    if (first.at < request.due) wrong.push(`early: ${name(first)}`)
    for (const [index, post] of thread.entries()) {
      const part = request.chains[platform][index]
      if (part?.text !== post.text) wrong.push(`out of order: ${name(post)} is part ${index + 1} of ${name(first)}`)
      else if (part.files !== post.files) wrong.push(`with other files: ${name(post)} has ${post.files}`)
      if (index === 0) continue
      if (post.reply?.root !== nameInReplies(first))
        wrong.push(`out of order: ${name(post)} is in another conversation`)
      if (post.at < (thread[index - 1]?.at ?? 0)) wrong.push(`out of order: ${name(post)} is older than its parent`)
    }
  }
  return wrong
}

/** The key for everything of one account of a platform. */
export const accountKey = ({ accountId, platform }: { readonly platform: LivePlatform; readonly accountId: string }) =>
  `${platform} ${accountId}`

/**
 * Errors that must not exist at any moment. The published parts of a thread must be its first parts, in order and each
 * once, and each must reply to the part before it.
 */
export const wrongThreads = (
  posts: ReadonlyArray<StandInPost>,
  requested: ReadonlyArray<RequestedThread>,
  workspaceOf: ReadonlyMap<string, number>
): ReadonlyArray<string> =>
  [...Map.groupBy(posts, accountKey)].flatMap(([key, own]) => {
    const workspace = workspaceOf.get(key)
    return LivePlatform.literals.flatMap((platform) =>
      wrongOn(
        own.filter((post) => post.platform === platform),
        requested.filter((request) => request.workspace === workspace),
        platform
      )
    )
  })
