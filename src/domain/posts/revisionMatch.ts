import { Effect, Option, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { RevisionMismatch } from "../errors.ts"
import { formatEtag } from "../plain/posts.ts"
import { PostStatus } from "./post.ts"

const SeenRevision = Schema.Struct({ revision: Schema.Int, status: Schema.NullOr(PostStatus) })

const Revisions = Schema.Union([Schema.Literal("any"), Schema.Array(SeenRevision)])
export type RevisionMatch = typeof Revisions.Type

const tag = `(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"`
/** Lists may have empty elements (RFC 9110, 5.6.1.2). */
const header = new RegExp(`^(?:\\*|[ \\t,]*${tag}(?:[ \\t]*,[ \\t,]*${tag})*[ \\t,]*)$`)

/** The suffix that a compressing proxy adds inside the quotes: Apache and Caddy `-gzip`, Jetty `--gzip`. */
const codingSuffix = "(?:--?(?:gzip|deflate|br|zstd))?"

const revisionTag = new RegExp(
  `"(?<revision>[1-9]\\d{0,9})(?:-(?<status>${PostStatus.literals.join("|")}))?${codingSuffix}"`,
  "g"
)

const decodeSeen = Schema.decodeUnknownOption(
  Schema.Struct({ revision: Schema.FiniteFromString, status: Schema.UndefinedOr(PostStatus) })
)

/**
 * Parses an `If-Match` header: `*` or a list of entity tags. Other resources' tags never match. Tags of earlier
 * versions have only the revision, such as `"3"`, and are still accepted. RFC 9110 (13.1.1) never matches a weak tag.
 * Here `W/` is ignored: nginx and Cloudflare weaken the tag of a response that they compress, and the tag names a
 * revision rather than bytes.
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

const expected = 'the ETag of a response, such as "3-draft" or "3", a list of them, or *'

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
    : Result.fail(match.length === 0 ? RevisionMismatch.foreign() : RevisionMismatch.at(revision, status))
