import { Effect, Schema } from "effect"

/**
 * The members by which a stored JSON says what it is: its tag, and the version of its form. The version before stores the first
 * form without them.
 */
export const storedForm = <const Tag extends string>(tag: Tag) => ({
  fields: {
    _tag: Schema.Literal(tag).pipe(Schema.withDecodingDefaultKey(Effect.succeed(tag))),
    version: Schema.Literal(1).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))
  },
  members: { _tag: tag, version: 1 } as const
})
