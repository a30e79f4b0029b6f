import { DateTime, Effect, Option, Result, Schema, Struct } from "effect"
import { CurrentKey } from "../../api/Authorization.ts"
import { bodyParseOptions, CreatePost } from "../../api/postBodies.ts"
import type { ContentTooLong, InvalidRequest, Issue } from "../../domain/errors.ts"
import { NewPost } from "../../domain/newPost.ts"
import { isLive, type Platform, whyNotConnected } from "../../domain/platform.ts"
import { formatLengthViolation, planCreate, textFor, textPath } from "../../domain/postPlan.ts"
import { measureText } from "../../domain/text/textRules.ts"
import { Repo } from "../../repo/Repo.ts"
import { issuesOf } from "../issues.ts"

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(CreatePost), bodyParseOptions)

/** As much of a post as says which text goes where. */
const Texts = Schema.Struct(Struct.pick(NewPost.fields, ["content", "platforms", "platform_overrides"]))
type Texts = typeof Texts.Type

const decodeTexts = Schema.decodeUnknownOption(Texts)

const issuesOfPlan = (post: NewPost, error: InvalidRequest | ContentTooLong): ReadonlyArray<Issue> =>
  error._tag === "InvalidRequest"
    ? error.errors
    : error.violations.map((violation) => ({
        path: textPath(violation.platform, post.platform_overrides ?? {}),
        message: formatLengthViolation(violation)
      }))

const planIssues = (post: NewPost, now: DateTime.Utc): ReadonlyArray<Issue> =>
  Result.match(planCreate(post, now), {
    onFailure: (error) => issuesOfPlan(post, error),
    onSuccess: () => []
  })

const connectionIssues = (post: Texts, connected: ReadonlyArray<Platform>): ReadonlyArray<Issue> =>
  post.platforms.flatMap((platform, index) =>
    connected.includes(platform) ? [] : [{ path: ["platforms", index], message: whyNotConnected(platform) }]
  )

const measure = (post: Texts) =>
  post.platforms.filter(isLive).map((platform) => {
    const text = textFor(platform, { content: post.content, overrides: post.platform_overrides ?? {} })
    return { platform, ...measureText(platform, text) }
  })

/** Says what creating a post from a body would come to; a body that does not fit the schema is an answer too. */
export const makeValidatePost = Effect.gen(function* () {
  const { integrations } = yield* Repo

  const judgeTexts = Effect.fn("validatePost.judgeTexts")(function* (post: Texts) {
    const { workspaceId } = yield* CurrentKey
    const connected = yield* integrations.list(workspaceId)
    return {
      errors: connectionIssues(
        post,
        connected.map(({ platform }) => platform)
      ),
      targets: measure(post)
    }
  })

  return Effect.fn("validatePost")(function* (body: unknown) {
    const decoded = yield* Effect.result(decode(body))
    const issues = Result.isSuccess(decoded)
      ? planIssues(decoded.success, yield* DateTime.now)
      : issuesOf(decoded.failure)
    const texts = decodeTexts(body)
    const judged = Option.isSome(texts) ? yield* judgeTexts(texts.value) : { errors: [], targets: [] }
    const errors = [...judged.errors, ...issues]
    return { valid: errors.length === 0, errors, targets: judged.targets }
  })
})
