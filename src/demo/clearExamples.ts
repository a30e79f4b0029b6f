import { Effect } from "effect"
import { Repo } from "../repo/Repo.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import type { DemoWorkspace } from "../sandbox/state/entry.ts"
import { removeUnlessUsed } from "./pictures.ts"

/**
 * Removes the examples of a demo, also those that were changed, with what people were notified of them. A picture that another post
 * has stays. Fails with InvalidState while one of them is being sent. Returns how many posts were removed.
 */
export const removeExamples = Effect.fn("removeExamples")(function* (demo: DemoWorkspace) {
  const { examples } = yield* Repo
  const { keyIds, mediaIds, postIds, workspaceId } = demo
  const { removed, unused } = yield* examples.remove(workspaceId, { posts: postIds, keys: keyIds, files: mediaIds })
  yield* removeUnlessUsed(workspaceId, unused)
  return removed
})

/** What the sandbox has recorded of its demo; undefined where there is none in this database, as it may be that of another one. */
export const findDemo = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const { workspaces } = yield* Repo
  const demo = yield* sandbox.demo
  if (demo === undefined) return undefined
  return (yield* workspaces.list).some(({ id }) => id === demo.workspaceId) ? demo : undefined
})

/**
 * Which workspace has how many of the demo's examples. Once it has none, the timelines of the sandbox show none of the past either;
 * what was sent meanwhile stays there, as on a platform.
 */
export const countExamples = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const { examples } = yield* Repo
  const demo = yield* findDemo
  if (demo === undefined) return { workspaceId: null, posts: 0 }
  const { postIds, workspaceId } = demo
  if (postIds.length === 0) return { workspaceId, posts: 0 }
  const posts = yield* examples.count(workspaceId, postIds)
  if (posts === 0) yield* sandbox.forgetExamples(demo)
  return { workspaceId, posts }
})

/** Removes the examples of the running service, from the timelines as well. Returns how many posts were removed. */
export const clearExamples = Effect.gen(function* () {
  const demo = yield* findDemo
  if (demo === undefined) return 0
  const removed = yield* removeExamples(demo)
  yield* countExamples
  return removed
})
