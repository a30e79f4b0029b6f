import { Effect } from "effect"
import { Repo } from "../repo/Repo.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import type { DemoWorkspace } from "../sandbox/state/entry.ts"
import { removeUnlessUsed } from "./pictures.ts"

/**
 * Removes a demo's examples and their notifications, even if people changed them. Keeps a picture that another post
 * uses. Fails with InvalidState while an example is being sent.
 */
export const removeExamples = Effect.fn("removeExamples")(function* (demo: DemoWorkspace) {
  const { examples } = yield* Repo
  const { keyIds, mediaIds, postIds, workspaceId } = demo
  const { removed, unused } = yield* examples.remove(workspaceId, { posts: postIds, keys: keyIds, files: mediaIds })
  yield* removeUnlessUsed(workspaceId, unused)
  return removed
})

/** Undefined if the sandbox recorded no demo, or one from another database. */
export const findDemo = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const { workspaces } = yield* Repo
  const demo = yield* sandbox.demo
  if (demo === undefined) return undefined
  return (yield* workspaces.list).some(({ id }) => id === demo.workspaceId) ? demo : undefined
})

/**
 * Counts the examples. Once none are left, removes them from the sandbox's timelines too. People's own posts stay
 * there.
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

export const clearExamples = Effect.gen(function* () {
  const demo = yield* findDemo
  if (demo === undefined) return 0
  const removed = yield* removeExamples(demo)
  yield* countExamples
  return removed
})
