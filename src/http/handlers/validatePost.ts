import { Effect, Option, Predicate, Result, Schema } from "effect"
import { CurrentActor } from "../../api/Authorization.ts"
import { bodyParseOptions, ValidatePost } from "../../api/posts/postBodies.ts"
import * as Problem from "../../api/problems.ts"
import { hasScope } from "../../domain/people/apiKey.ts"
import { rolesWith } from "../../domain/people/role.ts"
import { Posting } from "../../posting/Posting.ts"
import { fail } from "../problems.ts"
import { decodePostTexts, listPostIssues } from "../postIssues.ts"

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(ValidatePost), bodyParseOptions)

const asksForCard = (body: unknown): boolean => Predicate.hasProperty(body, "cards") && body.cards === true

const writeScope = "posts:write"

/** Read access is not enough to look up a card: the service then fetches a page and stores its picture. */
export const checkMayFindCard = Effect.fnUntraced(function* (body: unknown) {
  const { author, scopes } = yield* CurrentActor
  if (!asksForCard(body) || hasScope(scopes, writeScope)) return
  return yield* author.type === "key"
    ? fail(Problem.InsufficientScope, { detail: `To look up cards the key needs the scope ${writeScope}` })
    : fail(Problem.InsufficientRole, { detail: `To look up cards you need the role ${rolesWith(writeScope)}` })
})

/** Validates any body. A body that does not fit the schema also gets a result instead of an error. */
export const makeValidatePost = Effect.map(Posting, ({ checkTexts, findCard, findPlanIssues }) =>
  Effect.fn("validatePost")(function* (body: unknown) {
    const actor = yield* CurrentActor
    const { workspaceId } = actor
    const decoded = yield* Effect.result(decode(body))
    const planned = Result.isSuccess(decoded)
      ? yield* findPlanIssues(actor, decoded.success)
      : {
          errors: yield* listPostIssues(decoded.failure, body, (post) =>
            Effect.map(findPlanIssues(actor, post), ({ errors }) => errors)
          ),
          warnings: []
        }
    const texts = decodePostTexts(body)
    const { warnings, ...checked } = Option.isSome(texts)
      ? yield* checkTexts(workspaceId, texts.value)
      : { errors: [], warnings: [], targets: [] }
    const errors = [...checked.errors, ...planned.errors]
    const doubts = [...warnings, ...planned.warnings]
    const result = {
      ...checked,
      valid: errors.length === 0,
      errors,
      ...(doubts.length > 0 && { warnings: doubts })
    }
    if (!asksForCard(body)) return result
    return { ...result, card: Option.isSome(texts) ? yield* findCard(workspaceId, texts.value) : null }
  })
)
