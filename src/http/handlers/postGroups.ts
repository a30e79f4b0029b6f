import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { GroupPosts, ReplayableDeletedGroup } from "../../api/posts/PostGroups.ts"
import type { PostId } from "../../domain/ids.ts"
import { Posting } from "../../posting/Posting.ts"
import type { PostJson } from "../../repo/posts/rows.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { once } from "./idempotency.ts"
import { makePostList } from "./postList.ts"
import { inWorkspace, wholeList } from "./shared.ts"

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
            turns: "quick",
            isEnough: () => false,
            envelope: () => emptyGroup
          })
        ).pipe(wholeList)
      )
      .handle("delete", ({ headers, params: { group_id } }) =>
        once({ answer: ReplayableDeletedGroup, headers }, (actor, key) =>
          idempotency.once(
            key,
            Effect.map(posting.removeGroup(actor, group_id), ({ deleted, leftOnPlatforms: left }) => ({
              data: { group_id, deleted, left_on_platforms: left }
            }))
          )
        ).pipe(orProblem)
      )
  })
)
