import { Option, Schema, Struct } from "effect"
import { PostTarget, TargetError } from "../../domain/posts/post.ts"
import { showError } from "../../domain/posts/shownError.ts"
import { showParts } from "../../domain/posts/targetParts.ts"
import type { Special } from "./specialMembers.ts"

const StoredParts = Schema.Array(
  Schema.Struct({
    id: Schema.NullOr(Schema.String),
    cid: Schema.NullOr(Schema.String),
    url: Schema.NullOr(Schema.String),
    published_at: Schema.String
  })
)

const AnyObject = Schema.Record(Schema.String, Schema.Unknown)

/** Each target has its cursor in place of the parts. */
const readThreaded = Schema.decodeUnknownOption(
  Schema.Struct({
    content: Schema.String,
    post_targets: Schema.Array(
      Schema.Struct({
        ...Struct.pick(PostTarget.fields, ["status", "error", "integrations"]),
        parts: Schema.Struct({ part: Schema.Int, published: StoredParts })
      })
    )
  })
)

const readMembers = Schema.decodeSync(Schema.fromJsonString(AnyObject))
const readTargets = Schema.decodeUnknownSync(Schema.Array(AnyObject))

/** Computes the parts from the cursors. They are null if the post has values that only a later version knows. */
export const withParts = (json: string, { media, overrides, thread }: typeof Special.Type): string => {
  const post = readMembers(json)
  const parts = Option.match(readThreaded(post), {
    onNone: () => [],
    onSome: ({ content, post_targets }) =>
      post_targets.map(({ error, integrations, parts: { part, published }, status }) =>
        showParts(
          { content, overrides, media, thread },
          { status, error, platform: integrations.platform, part, published }
        )
      )
  })
  const targets = readTargets(post["post_targets"]).map((target, index) => ({ ...target, parts: parts[index] ?? null }))
  return JSON.stringify({ ...post, post_targets: targets })
}

const readError = Schema.decodeUnknownOption(TargetError)

const readFailed = Schema.decodeUnknownOption(
  Schema.Struct({
    error: Schema.Unknown,
    parts: Schema.NullOr(Schema.Array(AnyObject)),
    integrations: PostTarget.fields.integrations
  })
)

/** Adds facts to the errors, except errors that only a later version knows. */
export const withFacts = (json: string): string => {
  const post = readMembers(json)
  const targets = readTargets(post["post_targets"]).map((target) =>
    Option.match(readFailed(target), {
      onNone: () => target,
      onSome: ({ error, integrations: { platform }, parts }) => {
        const show = (stored: unknown) =>
          Option.match(readError(stored), {
            onNone: () => stored,
            onSome: (known) => showError(known, platform, parts?.length ?? 1)
          })
        const shown = parts?.map((part) => ({ ...part, error: show(part["error"]) }))
        return { ...target, error: show(error), parts: shown ?? null }
      }
    })
  )
  return JSON.stringify({ ...post, post_targets: targets })
}
