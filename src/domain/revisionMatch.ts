import { Effect, Option, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { RevisionMismatch } from "./errors.ts"

/** The revisions that a request accepts: any, or one of these. */
const Revisions = Schema.Union([Schema.Literal("any"), Schema.Array(Schema.Int)])
export type RevisionMatch = typeof Revisions.Type

/** The entity tag of a post's revision. */
export const formatEtag = (revision: number): string => `"${revision}"`

const tag = `(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"`
const header = new RegExp(`^(?:\\*|${tag}(?:[ \\t]*,[ \\t]*${tag})*)$`)

/**
 * Parses an `If-Match` header (RFC 9110, 13.1.1): `*` or a list of entity tags. A weak tag never matches, and neither does
 * one that is not a revision's.
 */
export const parseIfMatch = (text: string): Option.Option<RevisionMatch> => {
  if (!header.test(text)) return Option.none()
  if (text === "*") return Option.some("any")
  return Option.some(Array.from(text.matchAll(/(?<!W\/)"([1-9]\d{0,9})"/g), ([, revision]) => Number(revision)))
}

const expected = 'the ETag of a post, such as "3", a list of them, or *'

/** The header `If-Match`. */
export const IfMatch = Schema.String.annotate({ expected }).pipe(
  Schema.decodeTo(
    Revisions,
    SchemaTransformation.transformEffect({
      decode: (text: string, options) =>
        Effect.mapError(
          Effect.fromOption(parseIfMatch(text)),
          () => new SchemaIssue.InvalidValue({ expected }, text, options)
        ),
      encode: (match: RevisionMatch) =>
        Effect.succeed(match === "any" ? "*" : match.map((revision) => formatEtag(revision)).join(", "))
    })
  )
)

/** The refusal of a request whose caller has seen another revision than the current one. */
export const revisionMismatch = (revision: number) =>
  new RevisionMismatch({
    message: `The post has changed: it is at revision ${revision} by now. Read it again before you change it`
  })

/** Refuses a request whose caller has seen another revision. */
export const checkRevision = (
  { revision }: { readonly revision: number },
  match: RevisionMatch | undefined
): Result.Result<void, RevisionMismatch> =>
  match === undefined || match === "any" || match.includes(revision)
    ? Result.void
    : Result.fail(revisionMismatch(revision))
