import { DateTime, Effect, Result, Schema } from "effect"
import { CurrentKey } from "../api/Authorization.ts"
import { bodyParseOptions, CreatePost } from "../api/postBodies.ts"
import type { ContentTooLong, InvalidRequest, Issue } from "../domain/errors.ts"
import type { NewPost } from "../domain/newPost.ts"
import { isLive, type Platform, whyNotConnected } from "../domain/platform.ts"
import { planCreate, textFor, textPath } from "../domain/postPlan.ts"
import { measureText } from "../domain/textRules.ts"
import { Repo } from "../repo/Repo.ts"
import { issuesOf } from "./issues.ts"

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(CreatePost), bodyParseOptions)

const planIssues = (post: NewPost, error: InvalidRequest | ContentTooLong): ReadonlyArray<Issue> =>
  error._tag === "InvalidRequest"
    ? error.errors
    : error.violations.map(({ platform, length, limit }) => ({
        path: textPath(platform, post.platform_overrides ?? {}),
        message: `${platform} takes ${limit}, this is ${length}`
      }))

const connectionIssues = (post: NewPost, connected: ReadonlyArray<Platform>): ReadonlyArray<Issue> =>
  post.platforms.flatMap((platform, index) =>
    connected.includes(platform) ? [] : [{ path: ["platforms", index], message: whyNotConnected(platform) }]
  )

const measure = (post: NewPost) =>
  post.platforms.filter(isLive).map((platform) => {
    const text = textFor(platform, { content: post.content, overrides: post.platform_overrides ?? {} })
    return { platform, ...measureText(platform, text) }
  })

/** Says what creating a post from a body would come to; a body that does not fit the schema is an answer too. */
export const makeValidatePost = Effect.gen(function* () {
  const { integrations } = yield* Repo

  const judge = Effect.fn("validatePost.judge")(function* (post: NewPost) {
    const { workspaceId } = yield* CurrentKey
    const connected = yield* integrations.list(workspaceId)
    const errors = [
      ...connectionIssues(
        post,
        connected.map(({ platform }) => platform)
      ),
      ...Result.match(planCreate(post, yield* DateTime.now), {
        onFailure: (error) => planIssues(post, error),
        onSuccess: () => []
      })
    ]
    return { valid: errors.length === 0, errors, targets: measure(post) }
  })

  return Effect.fn("validatePost")(function* (body: unknown) {
    const decoded = yield* Effect.result(decode(body))
    if (Result.isSuccess(decoded)) return yield* judge(decoded.success)
    return { valid: false, errors: issuesOf(decoded.failure), targets: [] }
  })
})
