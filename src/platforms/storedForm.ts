import { Schema } from "effect"

/**
 * A stored JSON's tag and version. The version before stores the first form without them; what is read without them is
 * stored without them.
 */
export const storedForm = <const Tag extends string>(tag: Tag) => ({
  fields: {
    _tag: Schema.optionalKey(Schema.Literal(tag)),
    version: Schema.optionalKey(Schema.Literal(1))
  },
  members: { _tag: tag, version: 1 } as const
})
