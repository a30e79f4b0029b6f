import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { GroupId } from "../../domain/ids.ts"
import { Post, postExamples } from "../../domain/posts/post.ts"
import { groupId } from "../../domain/samples.ts"
import { Authentication } from "../Authentication.ts"
import { Authorization } from "../Authorization.ts"
import { dataOf, listOf } from "../data.ts"
import { examples } from "../examples.ts"
import { CheckedInput, idempotencyErrors, idempotent } from "../input.ts"
import { operation } from "../operation.ts"
import { limitParameter } from "../pagination.ts"
import { shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"
import { leftOnPlatforms, newer } from "./postResponses.ts"

const params = {
  group_id: GroupId.annotateKey({
    description: "The `group_id` of the group's posts.",
    examples: [GroupId.make(groupId)]
  })
}

const limit = limitParameter("posts", 1000)

export const GroupPosts = listOf(Post, "The posts.")
  .annotate({ identifier: "GroupPosts", description: "The posts of the group, newest first." })
  .pipe(examples({ group: { data: [postExamples.publishing] }, unknown: { data: [] } }))

const DeletedGroup = dataOf("The deleted group.", {
  group_id: GroupId.annotateKey({ description: "The group's id." }),
  deleted: Schema.Int.annotateKey({ description: "The number of deleted posts." }),
  left_on_platforms: leftOnPlatforms
})
  .annotate({ identifier: "DeletedGroup", description: "The posts of the group were deleted." })
  .pipe(examples({ deleted: { data: { group_id: groupId, deleted: 3, left_on_platforms: 2 } } }))

export const ReplayableDeletedGroup = Schema.Struct({
  data: DeletedGroup.fields.data.mapFields(Struct.evolve({ left_on_platforms: newer(0) }))
})

const list = HttpApiEndpoint.get("list", "/:group_id", { params, query: { limit }, success: GroupPosts }).annotateMerge(
  operation({
    id: "listGroup",
    scope: "posts:read",
    summary: "List the posts of a group",
    description:
      "Lists all posts with this `group_id`, newest first; none for an unknown group. It has no pages: `page`, `offset` and `cursor` are refused. A long list is sent while it is read; if that " +
      "fails, the connection breaks. A 503 with `Retry-After` means that too many long lists are being read."
  })
)

const remove = HttpApiEndpoint.delete("delete", "/:group_id", {
  params,
  headers: idempotent,
  success: DeletedGroup,
  error: [shown.InvalidState, shown.NotOwnDraft, shown.PreconditionRequired, ...idempotencyErrors]
}).annotateMerge(
  operation({
    id: "deleteGroup",
    scope: "posts:delete",
    summary: "Delete a group",
    description:
      "Deletes all posts of the group, or none while an attempt to publish one is in progress; returns their number. What is published stays on its platforms. " +
      "An API key that requires approval deletes a group only if it created all of its posts and all are drafts for which approval was not requested."
  })
)

export class PostGroups extends HttpApiGroup.make("postGroups")
  .add(list, remove)
  .middleware(CheckedInput)
  .middleware(Authorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/posts/group")
  .annotateMerge(
    OpenApi.annotations({ title: "Groups", description: "The posts of a thread or campaign, handled together." })
  ) {}
