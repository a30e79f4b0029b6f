import { Effect, Option, Result, Schema } from "effect"
import { CurrentActor } from "../../api/Authorization.ts"
import { bodyParseOptions, CreatePost } from "../../api/posts/postBodies.ts"
import { TwitterAccess } from "../../domain/posts/text/twitterAccess.ts"
import { Posting } from "../../posting/Posting.ts"
import { decodePostTexts, listPostIssues } from "../postIssues.ts"

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(CreatePost), bodyParseOptions)

/** Reports what creating a post from a body would fail with. A body that does not fit the schema is a result too. */
export const makeValidatePost = Effect.map(
  Effect.all([Posting, TwitterAccess]),
  ([{ checkTexts, findPlanIssues }, access]) =>
    Effect.fn("validatePost")(function* (body: unknown) {
      const { workspaceId } = yield* CurrentActor
      const decoded = yield* Effect.result(decode(body))
      const issues = Result.isSuccess(decoded)
        ? yield* findPlanIssues(workspaceId, decoded.success)
        : listPostIssues(decoded.failure, body, access)
      const texts = decodePostTexts(body)
      const checked = Option.isSome(texts) ? yield* checkTexts(workspaceId, texts.value) : { errors: [], targets: [] }
      const errors = [...checked.errors, ...issues]
      return { valid: errors.length === 0, errors, targets: checked.targets }
    })
)
