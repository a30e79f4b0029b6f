import { Result, Schema, Struct } from "effect"
import { textFor } from "../../domain/posts/postPlan.ts"
import { Claim } from "./Targets.ts"

const ClaimRow = Schema.Struct({
  ...Struct.omit(Claim.fields, ["text"]),
  content: Schema.String,
  // Not checked again here: a text that a later rule refuses must not fail the whole claim.
  overrides: Schema.Record(Schema.String, Schema.String)
})

const decodeRow = Schema.decodeUnknownResult(ClaimRow)

/** A row of the claim statement, of which only the keys are decoded. */
export const UndecodedRow = Schema.StructWithRest(
  Schema.Struct({ targetId: ClaimRow.fields.targetId, token: ClaimRow.fields.token }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

const toClaim = ({ content, overrides, ...row }: typeof ClaimRow.Type): Claim => ({
  ...row,
  text: textFor(row.platform, { content, overrides })
})

/** Reads a row of the claim statement. Fails where a later version stored what this one does not know. */
export const readClaim = (row: typeof UndecodedRow.Type): Result.Result<Claim, Schema.SchemaError> =>
  Result.map(decodeRow(row), toClaim)
