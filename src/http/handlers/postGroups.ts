import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentKey } from "../../api/Authorization.ts"
import { DeletedGroup } from "../../api/PostGroups.ts"
import { checkAccess } from "../../domain/approval.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { makeOnce } from "./idempotency.ts"
import { asData, inWorkspace } from "./shared.ts"

export const postGroupsLayer = HttpApiBuilder.group(
  Api,
  "postGroups",
  Effect.fn(function* (handlers) {
    const { posts } = yield* Repo
    const once = yield* makeOnce

    return handlers
      .handle("list", ({ params: { group_id }, query: { limit } }) =>
        inWorkspace((workspaceId) => posts.listGroup(workspaceId, group_id, limit)).pipe(asData, orProblem)
      )
      .handle("delete", ({ headers, params: { group_id } }) =>
        Effect.flatMap(CurrentKey, (key) =>
          posts.removeGroup(key.workspaceId, group_id, (post) => checkAccess(key, post, false))
        ).pipe(
          Effect.map((deleted) => ({ data: { group_id, deleted } })),
          (removal) => once(headers, "", DeletedGroup, removal),
          orProblem
        )
      )
  })
)
