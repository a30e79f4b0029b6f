import { Schema, SchemaTransformation } from "effect"
import { KeyPurpose } from "../../domain/people/apiKey.ts"

const isKnown = Schema.is(KeyPurpose)

/** What a key is for. A purpose that this version does not know is none: a later version stored it. */
export const StoredPurpose = Schema.NullOr(Schema.String).pipe(
  Schema.decodeTo(
    Schema.NullOr(KeyPurpose),
    SchemaTransformation.transform({
      decode: (stored: string | null): KeyPurpose | null => (isKnown(stored) ? stored : null),
      encode: (purpose: KeyPurpose | null): string | null => purpose
    })
  )
)
