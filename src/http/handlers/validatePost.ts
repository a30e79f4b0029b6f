import { DateTime, Effect, Option, Result, Schema } from "effect"
import { CurrentActor } from "../../api/Authorization.ts"
import { bodyParseOptions, CreatePost } from "../../api/posts/postBodies.ts"
import type { Issue } from "../../domain/errors.ts"
import { type Library, namedFiles } from "../../domain/media/mediaPlan.ts"
import type { NewPost } from "../../domain/posts/newPost.ts"
import { isLive, type Platform, whyNotConnected } from "../../domain/platform.ts"
import { findTextIssues, planCreate, textFor } from "../../domain/posts/postPlan.ts"
import { explainFullGroup } from "../../domain/posts/postSize.ts"
import { measureText } from "../../domain/posts/text/textRules.ts"
import { Repo } from "../../repo/Repo.ts"
import { decodePostTexts, listPostIssues, type PostTexts, toTexts } from "../postIssues.ts"

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(CreatePost), bodyParseOptions)

const findPlanIssues = (post: NewPost, now: DateTime.Utc, library: Library): ReadonlyArray<Issue> =>
  Result.match(planCreate(post, now, library), {
    onFailure: (error) => (error._tag === "ContentTooLong" ? findTextIssues(toTexts(post)) : error.errors),
    onSuccess: () => []
  })

const findUnconnected = (post: PostTexts, connected: ReadonlyArray<Platform>): ReadonlyArray<Issue> =>
  post.platforms.flatMap((platform, index) =>
    connected.includes(platform) ? [] : [{ path: ["platforms", index], message: whyNotConnected(platform) }]
  )

const measureTexts = (post: PostTexts) =>
  post.platforms.filter(isLive).map((platform) => {
    return { platform, ...measureText(platform, textFor(platform, toTexts(post)), (post.media ?? []).length > 0) }
  })

/** Reports what creating a post from a body would fail with. A body that does not fit the schema is a result too. */
export const makeValidatePost = Effect.gen(function* () {
  const { integrations, posts } = yield* Repo

  const checkTexts = Effect.fn("validatePost.checkTexts")(function* (post: PostTexts) {
    const { workspaceId } = yield* CurrentActor
    const connected = yield* integrations.list(workspaceId)
    const platforms = connected.map(({ platform }) => platform)
    const isFull = post.group_id !== undefined && (yield* posts.isGroupFull(workspaceId, post.group_id))
    const full = isFull ? [{ path: ["group_id"], message: explainFullGroup }] : []
    return { errors: [...findUnconnected(post, platforms), ...full], targets: measureTexts(post) }
  })

  const findLibrary = Effect.fnUntraced(function* ({ media = [] }: NewPost) {
    const { workspaceId } = yield* CurrentActor
    return media.length === 0 ? [] : yield* posts.readMedia(workspaceId, namedFiles(media))
  })

  return Effect.fn("validatePost")(function* (body: unknown) {
    const decoded = yield* Effect.result(decode(body))
    const issues = Result.isSuccess(decoded)
      ? findPlanIssues(decoded.success, yield* DateTime.now, yield* findLibrary(decoded.success))
      : listPostIssues(decoded.failure, body)
    const texts = decodePostTexts(body)
    const checked = Option.isSome(texts) ? yield* checkTexts(texts.value) : { errors: [], targets: [] }
    const errors = [...checked.errors, ...issues]
    return { valid: errors.length === 0, errors, targets: checked.targets }
  })
})
