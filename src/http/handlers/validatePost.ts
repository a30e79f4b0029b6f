import { DateTime, Effect, Option, Result, Schema, Struct } from "effect"
import { CurrentKey } from "../../api/Authorization.ts"
import { bodyParseOptions, CreatePost } from "../../api/postBodies.ts"
import type { ContentTooLong, InvalidRequest, Issue } from "../../domain/errors.ts"
import type { NewPost } from "../../domain/newPost.ts"
import { isLive, type Platform, whyNotConnected } from "../../domain/platform.ts"
import { formatLengthViolation, planCreate, textFor, textPath } from "../../domain/postPlan.ts"
import { explainFullGroup } from "../../domain/postSize.ts"
import { measureText } from "../../domain/text/textRules.ts"
import { Repo } from "../../repo/Repo.ts"
import { listIssues } from "../issues.ts"

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(CreatePost), bodyParseOptions)

/** The part of a post that says which text goes to which platform, and what it is checked with in the database. */
const Texts = Schema.Struct(Struct.pick(CreatePost.fields, ["content", "platforms", "platform_overrides", "group_id"]))
type Texts = typeof Texts.Type

const decodeTexts = Schema.decodeUnknownOption(Texts)

const describeRefusal = (post: NewPost, error: InvalidRequest | ContentTooLong): ReadonlyArray<Issue> =>
  error._tag === "InvalidRequest"
    ? error.errors
    : error.violations.map((violation) => ({
        path: textPath(violation.platform, post.platform_overrides ?? {}),
        message: formatLengthViolation(violation)
      }))

const findPlanIssues = (post: NewPost, now: DateTime.Utc): ReadonlyArray<Issue> =>
  Result.match(planCreate(post, now), {
    onFailure: (error) => describeRefusal(post, error),
    onSuccess: () => []
  })

const findUnconnected = (post: Texts, connected: ReadonlyArray<Platform>): ReadonlyArray<Issue> =>
  post.platforms.flatMap((platform, index) =>
    connected.includes(platform) ? [] : [{ path: ["platforms", index], message: whyNotConnected(platform) }]
  )

const measureTexts = (post: Texts) =>
  post.platforms.filter(isLive).map((platform) => {
    const text = textFor(platform, { content: post.content, overrides: post.platform_overrides ?? {} })
    return { platform, ...measureText(platform, text) }
  })

/** Reports what creating a post from a body would fail with. A body that does not fit the schema is a result too. */
export const makeValidatePost = Effect.gen(function* () {
  const { integrations, posts } = yield* Repo

  const checkTexts = Effect.fn("validatePost.checkTexts")(function* (post: Texts) {
    const { workspaceId } = yield* CurrentKey
    const connected = yield* integrations.list(workspaceId)
    const platforms = connected.map(({ platform }) => platform)
    const isFull = post.group_id !== undefined && (yield* posts.isGroupFull(workspaceId, post.group_id))
    const full = isFull ? [{ path: ["group_id"], message: explainFullGroup }] : []
    return { errors: [...findUnconnected(post, platforms), ...full], targets: measureTexts(post) }
  })

  return Effect.fn("validatePost")(function* (body: unknown) {
    const decoded = yield* Effect.result(decode(body))
    const issues = Result.isSuccess(decoded)
      ? findPlanIssues(decoded.success, yield* DateTime.now)
      : listIssues(decoded.failure, body)
    const texts = decodeTexts(body)
    const checked = Option.isSome(texts) ? yield* checkTexts(texts.value) : { errors: [], targets: [] }
    const errors = [...checked.errors, ...issues]
    return { valid: errors.length === 0, errors, targets: checked.targets }
  })
})
