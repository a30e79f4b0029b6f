import { DateTime, Effect, Result } from "effect"
import type { Issue } from "../domain/errors.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import { namedFiles } from "../domain/media/mediaPlan.ts"
import { isLive } from "../domain/plain/platforms.ts"
import { type Platform, whyNotConnected } from "../domain/platform.ts"
import { cardLink } from "../domain/posts/cardPlan.ts"
import type { NewPost } from "../domain/posts/newPost.ts"
import { findTextIssues, planCreate, type PostTexts, textFor, textsOf } from "../domain/posts/postPlan.ts"
import { explainFullGroup } from "../domain/posts/postSize.ts"
import { threadMedia } from "../domain/posts/thread.ts"
import { explainRefusal, measureText } from "../domain/posts/text/textRules.ts"
import { TwitterAccess } from "../domain/posts/text/twitterAccess.ts"
import { makeFindCard } from "./linkCards.ts"
import { Repo } from "../repo/Repo.ts"

const findUnconnected = (post: PostTexts, connected: ReadonlyArray<Platform>): ReadonlyArray<Issue> =>
  post.platforms.flatMap((platform, index) =>
    connected.includes(platform) ? [] : [{ path: ["platforms", index], message: whyNotConnected(platform) }]
  )

const measureTexts = (post: PostTexts, access: TwitterAccess) =>
  post.platforms.filter(isLive).map((platform) => {
    const text = textFor(platform, textsOf(post))
    const hasMedia = (post.media ?? []).length > 0
    const { length, limit, valid } = measureText(platform, text, hasMedia)
    return { platform, length, limit, valid: valid && explainRefusal(platform, text, hasMedia, access) === undefined }
  })

/** Finds what keeps a post from being created, and stores no post. */
export const makeValidatePost = Effect.map(
  Effect.all([Repo, TwitterAccess, makeFindCard]),
  ([{ integrations, posts }, access, findCard]) => ({
    /** Looks up the card that the post would have if it were scheduled. */
    findCard: (workspaceId: WorkspaceId, post: PostTexts) => findCard(workspaceId, cardLink(textsOf(post))),

    /** Finds what the post would be refused for by itself. */
    findPlanIssues: Effect.fnUntraced(function* (workspaceId: WorkspaceId, post: NewPost) {
      const { media = [], thread = [] } = post
      const files = namedFiles(threadMedia({ media, thread }))
      const library = files.length === 0 ? [] : yield* posts.readMedia(workspaceId, files)
      return Result.match(planCreate(post, yield* DateTime.now, library, access), {
        onFailure: (error) => (error._tag === "ContentTooLong" ? findTextIssues(textsOf(post), access) : error.errors),
        onSuccess: (): ReadonlyArray<Issue> => []
      })
    }),

    /** Measures the texts of a post, and finds what it would be refused for by its workspace, whatever else is wrong with it. */
    checkTexts: Effect.fn("validatePost.checkTexts")(function* (workspaceId: WorkspaceId, post: PostTexts) {
      const connected = yield* integrations.list(workspaceId)
      const platforms = connected.map(({ platform }) => platform)
      const isFull = post.group_id !== undefined && (yield* posts.isGroupFull(workspaceId, post.group_id))
      const full = isFull ? [{ path: ["group_id"], message: explainFullGroup }] : []
      return { errors: [...findUnconnected(post, platforms), ...full], targets: measureTexts(post, access) }
    })
  })
)
