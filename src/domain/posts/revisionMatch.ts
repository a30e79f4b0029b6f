import { Effect, Option, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { RevisionMismatch } from "../errors.ts"
import { formatEtag } from "../plain/posts.ts"
import { PostStatus } from "./post.ts"

const SeenRevision = Schema.Struct({ revision: Schema.Int, status: Schema.NullOr(PostStatus) })

const Revisions = Schema.Union([Schema.Literal("any"), Schema.Array(SeenRevision)])
export type RevisionMatch = typeof Revisions.Type

const tag = `(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"`
const header = new RegExp(`^(?:\\*|${tag}(?:[ \\t]*,[ \\t]*${tag})*)$`)

const revisionTag = new RegExp(
  `(?<!W/)"(?<revision>[1-9]\\d{0,9})(?:-(?<status>${PostStatus.literals.join("|")}))?"`,
  "g"
)

const decodeSeen = Schema.decodeUnknownOption(
  Schema.Struct({ revision: Schema.FiniteFromString, status: Schema.UndefinedOr(PostStatus) })
)

/**
 * Parses an `If-Match` header (RFC 9110, 13.1.1): `*` or a list of entity tags. Weak tags and other resources' tags
 * never match. Tags of earlier versions have only the revision, such as `"3"`, and are still accepted.
 */
export const parseIfMatch = (text: string): Option.Option<RevisionMatch> => {
  if (!header.test(text)) return Option.none()
  if (text === "*") return Option.some("any")
  return Option.some(
    Array.from(text.matchAll(revisionTag), ({ groups }) => Option.toArray(decodeSeen(groups)))
      .flat()
      .map(({ revision, status }) => ({ revision, status: status ?? null }))
  )
}

const expected = 'the ETag of a post, such as "3-draft", a list of them, or *'

export const IfMatch = Schema.String.annotate({ expected }).pipe(
  Schema.decodeTo(
    Revisions,
    SchemaTransformation.transformEffect({
      decode: (text: string, options) =>
        Effect.mapError(
          Effect.fromOption(parseIfMatch(text)),
          () => new SchemaIssue.InvalidValue({ expected }, text, options)
        ),
      encode: (match: RevisionMatch) => Effect.succeed(match === "any" ? "*" : match.map(formatEtag).join(", "))
    })
  )
)

interface CurrentRevision {
  readonly revision: number
  readonly status: PostStatus
}

export const checkRevision = (
  { revision, status }: CurrentRevision,
  match: RevisionMatch | undefined
): Result.Result<void, RevisionMismatch> =>
  match === undefined ||
  match === "any" ||
  match.some((seen) => seen.revision === revision && (seen.status === null || seen.status === status))
    ? Result.void
    : Result.fail(RevisionMismatch.at(revision, status))
