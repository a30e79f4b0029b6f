import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentActor } from "../../api/Authorization.ts"
import { GroupPosts, ReplayableDeletedGroup } from "../../api/posts/PostGroups.ts"
import type { PostId } from "../../domain/ids.ts"
import { Posting } from "../../posting/Posting.ts"
import type { PostJson } from "../../repo/posts/rows.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { readKey, respondOnce } from "./idempotency.ts"
import { makePostList } from "./postList.ts"
import { inWorkspace, refusePages } from "./shared.ts"

const emptyGroup = Schema.encodeSync(Schema.fromJsonString(Schema.toCodecJson(GroupPosts)))({ data: [] })

export const postGroupsLayer = HttpApiBuilder.group(
  Api,
  "postGroups",
  Effect.fn(function* (handlers) {
    const { idempotency, posts } = yield* Repo
    const posting = yield* Posting
    const respondWithList = yield* makePostList

    return handlers
      .handle("list", ({ params: { group_id }, query: { limit } }) =>
        inWorkspace((workspaceId) =>
          respondWithList<PostJson, PostId>({
            workspaceId,
            fetch: ({ after, ...batch }) => posts.listGroup(workspaceId, group_id, { ...batch, before: after }),
            after: null,
            positionOf: ({ id }) => id,
            limit: limit ?? Number.POSITIVE_INFINITY,
            isEnough: () => false,
            envelope: () => emptyGroup
          })
        ).pipe((list) => Effect.andThen(refusePages, list))
      )
      .handle("delete", ({ headers, params: { group_id } }) =>
        Effect.gen(function* () {
          const key = yield* readKey(ReplayableDeletedGroup, headers)
          const removal = posting.removeGroup(yield* CurrentActor, group_id)
          return yield* idempotency.once(
            key,
            Effect.map(removal, ({ deleted, leftOnPlatforms: left }) => ({
              data: { group_id, deleted, left_on_platforms: left }
            }))
          )
        }).pipe(respondOnce, orProblem)
      )
  })
)
