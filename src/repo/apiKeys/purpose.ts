import { Schema, SchemaTransformation } from "effect"
import { KeyPurpose } from "../../domain/people/apiKey.ts"

const isKnown = Schema.is(KeyPurpose)

/** A purpose from a later version is read as none. */
export const StoredPurpose = Schema.NullOr(Schema.String).pipe(
  Schema.decodeTo(
    Schema.NullOr(KeyPurpose),
    SchemaTransformation.transform({
      decode: (stored: string | null): KeyPurpose | null => (isKnown(stored) ? stored : null),
      encode: (purpose: KeyPurpose | null): string | null => purpose
    })
  )
)
