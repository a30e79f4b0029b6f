import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { GroupId } from "../domain/ids.ts"
import { Authentication } from "./Authentication.ts"
import { Authorization } from "./Authorization.ts"
import { InvalidState } from "./problems.ts"
import { idempotencyErrors, idempotent } from "./idempotency.ts"
import { CheckedInput } from "./input.ts"
import { operation } from "./operation.ts"
import { Post } from "./postResponses.ts"
import { RateLimit } from "./RateLimit.ts"

const params = { group_id: GroupId }

/** What deleting a group answers. */
export const DeletedGroup = Schema.Struct({
  data: Schema.Struct({ group_id: GroupId, deleted: Schema.Int })
}).annotate({ identifier: "DeletedGroup" })

const list = HttpApiEndpoint.get("list", "/:group_id", {
  params,
  success: Schema.Struct({ data: Schema.Array(Post) }).annotate({ identifier: "GroupPosts" })
}).annotateMerge(
  operation({
    id: "listGroup",
    scope: "posts:read",
    summary: "List the posts of a group",
    description: "Every post that carries the group's id, newest first; none for a group that is not known."
  })
)

const remove = HttpApiEndpoint.delete("delete", "/:group_id", {
  params,
  headers: idempotent,
  success: DeletedGroup,
  error: [InvalidState, ...idempotencyErrors]
}).annotateMerge(
  operation({
    id: "deleteGroup",
    scope: "posts:write",
    summary: "Delete a group",
    description: "Deletes every post of the group, or none where one of them is being sent; answers how many."
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
    OpenApi.annotations({ title: "Groups", description: "The posts of one thread or campaign, taken together." })
  ) {}
