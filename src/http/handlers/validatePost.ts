import { Effect, Option, Predicate, Result, Schema } from "effect"
import { CurrentActor } from "../../api/Authorization.ts"
import { bodyParseOptions, ValidatePost } from "../../api/posts/postBodies.ts"
import * as Problem from "../../api/problems.ts"
import { hasScope } from "../../domain/people/apiKey.ts"
import { rolesWith } from "../../domain/people/role.ts"
import { CurrentRules } from "../../platforms/rules.ts"
import { Posting } from "../../posting/Posting.ts"
import { fail } from "../problems.ts"
import { decodePostTexts, listPostIssues } from "../postIssues.ts"

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(ValidatePost), bodyParseOptions)

const asksForCard = (body: unknown): boolean => Predicate.hasProperty(body, "cards") && body.cards === true

const writeScope = "posts:write"

/** Looking up a card fetches a page and stores its picture, which needs more than read access. */
export const checkMayFindCard = Effect.fnUntraced(function* (body: unknown) {
  const { author, scopes } = yield* CurrentActor
  if (!asksForCard(body) || hasScope(scopes, writeScope)) return
  return yield* author.type === "key"
    ? fail(Problem.InsufficientScope, { detail: `To look up cards the key needs the scope ${writeScope}` })
    : fail(Problem.InsufficientRole, { detail: `To look up cards you need the role ${rolesWith(writeScope)}` })
})

/** A body that does not fit the schema also gets a result, not an error. */
export const makeValidatePost = Effect.map(
  Effect.all([Posting, CurrentRules]),
  ([{ checkTexts, findCard, findPlanIssues }, rules]) =>
    Effect.fn("validatePost")(function* (body: unknown) {
      const { workspaceId } = yield* CurrentActor
      const decoded = yield* Effect.result(decode(body))
      const issues = Result.isSuccess(decoded)
        ? yield* findPlanIssues(workspaceId, decoded.success)
        : listPostIssues(rules, decoded.failure, body)
      const texts = decodePostTexts(body)
      const { warnings, ...checked } = Option.isSome(texts)
        ? yield* checkTexts(workspaceId, texts.value)
        : { errors: [], warnings: [], targets: [] }
      const errors = [...checked.errors, ...issues]
      const result = {
        ...checked,
        valid: errors.length === 0,
        errors,
        ...(warnings.length > 0 && { warnings })
      }
      if (!asksForCard(body)) return result
      return { ...result, card: Option.isSome(texts) ? yield* findCard(workspaceId, texts.value) : null }
    })
)
