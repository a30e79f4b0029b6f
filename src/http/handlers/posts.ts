import { DateTime, Effect, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { makeTellOfMediaAccess, scheduledPost } from "../../accounts/mediaAccess.ts"
import { Api } from "../../api/Api.ts"
import { CurrentActor } from "../../api/Authorization.ts"
import { CreatedPost, DeletedPost, ReplayableOnePost } from "../../api/posts/postResponses.ts"
import type { Actor } from "../../domain/people/actor.ts"
import { asDraft, checkChange, checkPublish, needsApproval } from "../../domain/posts/approval.ts"
import { type FoundCards, planCard } from "../../domain/posts/cardPlan.ts"
import type { PostId } from "../../domain/ids.ts"
import type { LinkCard } from "../../domain/posts/linkCard.ts"
import { type Library, namedFiles } from "../../domain/media/mediaPlan.ts"
import type { NewPost, PostPatch } from "../../domain/posts/newPost.ts"
import { firstRevision, planCreate, planPublish, planUpdate, type StoredPost } from "../../domain/posts/postPlan.ts"
import { checkRevision, formatEtag, type RevisionMatch } from "../../domain/posts/revisionMatch.ts"
import { Notifier } from "../../notifier/Notifier.ts"
import type { PostJson } from "../../repo/posts/rows.ts"
import { Repo } from "../../repo/Repo.ts"
import { BaseUrl, postUrl } from "../BaseUrl.ts"
import { orProblem } from "../problems.ts"
import { type IdempotencyHeaders, makeOnce } from "./idempotency.ts"
import { makeWithCards } from "./linkCards.ts"
import { makePostPages } from "./postPages.ts"
import { asData, inWorkspace, onePost } from "./shared.ts"
import { makeValidatePost } from "./validatePost.ts"

/** A response with one post that the database has encoded. */
const storedPost = (post: PostJson) =>
  HttpServerResponse.text(`{"data":${post.json}}`, {
    contentType: "application/json",
    headers: { etag: formatEtag(post) }
  })

export const postsLayer = HttpApiBuilder.group(
  Api,
  "posts",
  Effect.fn(function* (handlers) {
    const { posts, transaction } = yield* Repo
    const { approvalRequested } = yield* Notifier
    const baseUrl = yield* BaseUrl
    const once = yield* makeOnce
    const withCards = yield* makeWithCards
    const tellOfMediaAccess = yield* makeTellOfMediaAccess
    const validatePost = yield* makeValidatePost
    const respondWithPage = yield* makePostPages

    const createForApproval = Effect.fnUntraced(function* (
      { author, workspaceId }: Actor,
      plan: Parameters<typeof posts.create>[1]
    ) {
      const { content, overrides, scheduledAt } = plan
      const created = yield* posts.create(workspaceId, asDraft(plan), author)
      const { id } = created
      yield* posts.requestApproval(workspaceId, id, { content, overrides, revision: firstRevision })
      yield* approvalRequested(workspaceId, { id, scheduledAt, content }, author)
      return created
    })

    const notifyOnce =
      ({ author, workspaceId }: Actor) =>
      ({ post, requested }: Effect.Success<ReturnType<typeof posts.updateForApproval>>) =>
        requested
          ? approvalRequested(
              workspaceId,
              { id: post.id, scheduledAt: post.scheduled_at, content: post.content },
              author
            )
          : Effect.void

    const createPost = Effect.fnUntraced(function* (post: NewPost, found: FoundCards) {
      const actor = yield* CurrentActor
      const files = namedFiles(post.media ?? [])
      const store = Effect.gen(function* () {
        const library = files.length === 0 ? [] : yield* posts.lockMedia(actor.workspaceId, files)
        const planned = yield* Effect.fromResult(planCreate(post, yield* DateTime.now, library))
        const isFinal = planned.status === "scheduled"
        const plan = { ...planned, card: yield* Effect.fromResult(planCard({ ...planned, isFinal }, found)) }
        if (!needsApproval(actor, plan)) return yield* posts.create(actor.workspaceId, plan, actor.author)
        return yield* transaction(createForApproval(actor, plan))
      })
      return yield* files.length === 0 ? store : transaction(store)
    })

    const updatePost = Effect.fn("updatePost")(function* (
      id: PostId,
      patch: PostPatch,
      match: RevisionMatch | undefined,
      found: FoundCards
    ) {
      const actor = yield* CurrentActor
      const now = yield* DateTime.now
      const decide = (post: StoredPost, library: Library) =>
        checkChange(actor, post, match).pipe(
          Result.flatMap(() => planUpdate(post, patch, now, library)),
          Result.flatMap((change) => {
            const after = { ...change, platforms: post.platforms, isFinal: change.status === "scheduled" }
            return Result.map(planCard(after, found, post), (card) => ({ ...change, card }))
          }),
          Result.map((change) => (needsApproval(actor, change) ? asDraft(change) : change))
        )
      const options = {
        by: actor.author,
        ...(patch.media !== undefined && { files: namedFiles(patch.media) })
      }
      if (!needsApproval(actor, patch)) return yield* posts.update(actor.workspaceId, id, decide, options)
      const store = posts.updateForApproval(actor.workspaceId, id, decide, options)
      return yield* transaction(Effect.tap(store, notifyOnce(actor)).pipe(Effect.map(({ post }) => post)))
    })

    const publishPost = Effect.fn("publishPost")(function* (
      id: PostId,
      headers: IdempotencyHeaders,
      found: FoundCards
    ) {
      // What was scheduled before keeps what was found then.
      const decide = (post: StoredPost, library: Library) =>
        checkRevision(post, headers["if-match"]).pipe(
          Result.flatMap(() => planPublish(post, library)),
          Result.flatMap(() =>
            post.status === "draft"
              ? planCard({ ...post, isFinal: true }, found, post)
              : Result.succeed<LinkCard | null | undefined>(undefined)
          )
        )
      const actor = yield* CurrentActor
      // Before `once`, which would replay the response that another key of the workspace got.
      yield* Effect.fromResult(checkPublish(actor))
      return yield* once(
        headers,
        "",
        ReplayableOnePost,
        asData(posts.publish(actor.workspaceId, id, decide, actor.author))
      )
    })

    const deletePost = Effect.fn("deletePost")(function* (id: PostId, headers: IdempotencyHeaders) {
      const actor = yield* CurrentActor
      const decide = (post: StoredPost) => checkChange(actor, post, headers["if-match"])
      const removal = posts.remove(actor.workspaceId, id, decide, actor.author)
      return yield* once(headers, "", DeletedPost, Effect.as(removal, { data: { id, deleted: true as const } }))
    })

    return handlers
      .handle("list", ({ query }) => respondWithPage(query))
      .handle("create", ({ headers, payload, request }) =>
        Effect.orDie(request.text).pipe(
          Effect.flatMap((body) => withCards((found) => once(headers, body, CreatedPost, createPost(payload, found)))),
          Effect.tap((created) => inWorkspace(tellOfMediaAccess({ ...created, media: payload.media ?? [] }))),
          orProblem,
          Effect.map((body) =>
            HttpApiSchema.withHeaders({
              body,
              headers: {
                location: postUrl(baseUrl, body.id),
                etag: formatEtag({ revision: firstRevision, status: body.status })
              }
            })
          )
        )
      )
      .handleRaw("validate", ({ request }) =>
        Effect.orDie(request.json).pipe(Effect.flatMap(validatePost), asData, orProblem)
      )
      .handle("get", ({ params: { id } }) =>
        inWorkspace((workspaceId) => posts.getJson(workspaceId, id)).pipe(Effect.map(storedPost), orProblem)
      )
      .handle("update", ({ headers, params: { id }, payload }) =>
        withCards((found) => updatePost(id, payload, headers["if-match"], found)).pipe(
          Effect.tap((post) => inWorkspace(tellOfMediaAccess(scheduledPost(post)))),
          Effect.map(onePost),
          orProblem
        )
      )
      .handle("publish", ({ headers, params: { id } }) =>
        withCards((found) => publishPost(id, headers, found)).pipe(
          Effect.tap(({ data }) => inWorkspace(tellOfMediaAccess(scheduledPost(data)))),
          Effect.map(({ data }) => onePost(data)),
          orProblem
        )
      )
      .handle("delete", ({ headers, params: { id } }) => orProblem(deletePost(id, headers)))
  })
)
