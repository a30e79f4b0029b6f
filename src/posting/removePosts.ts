import { Effect } from "effect"
import type { GroupId, PostId } from "../domain/ids.ts"
import type { Actor } from "../domain/people/actor.ts"
import { checkAccess, checkChange } from "../domain/posts/approval.ts"
import type { RevisionMatch } from "../domain/posts/revisionMatch.ts"
import { Repo } from "../repo/Repo.ts"

/** Deletes posts here; on their platforms they stay. */
export const makeRemovePosts = Effect.map(Repo, ({ posts }) => ({
  /** Deletes a post, if it is as `match` says. */
  remove: Effect.fn("deletePost")((actor: Actor, id: PostId, match: RevisionMatch | undefined) =>
    posts.remove(actor.workspaceId, id, (post) => checkChange(actor, post, match), actor.author)
  ),

  /** Deletes all posts of a group or none, and returns how many they were. */
  removeGroup: (actor: Actor, groupId: GroupId) =>
    posts.removeGroup(actor.workspaceId, groupId, (post) => checkAccess(actor, post, false), actor.author)
}))
