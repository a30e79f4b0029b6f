import { Effect } from "effect"
import type { GroupId, PostId } from "../domain/ids.ts"
import type { Actor } from "../domain/people/actor.ts"
import { scopeAuthority } from "../domain/people/authority.ts"
import { checkAccess, checkChange } from "../domain/posts/approval.ts"
import type { RevisionMatch } from "../domain/posts/revisionMatch.ts"
import { Repo } from "../repo/Repo.ts"

const authority = (actor: Actor) => scopeAuthority(actor, "posts:delete")

/** Deletes posts here. They stay on their platforms. */
export const makeRemovePosts = Effect.map(Repo, ({ posts }) => ({
  remove: Effect.fn("deletePost")((actor: Actor, id: PostId, match: RevisionMatch | undefined) =>
    posts.remove(actor.workspaceId, id, (post) => checkChange(actor, post, match), authority(actor))
  ),

  /** Removes all posts of a group, or none. */
  removeGroup: (actor: Actor, groupId: GroupId) =>
    posts.removeGroup(actor.workspaceId, groupId, (post) => checkAccess(actor, post, false), authority(actor))
}))
