import { Result, Schema } from "effect"
import type { Issue } from "../domain/errors.ts"
import { schemaIssues } from "../domain/issues.ts"

/** Unknown members are errors too; the failure lists every issue. */
export const strictBody = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.toCodecJson(schema)))
  return (body: string): Result.Result<S["Type"], ReadonlyArray<Issue>> =>
    Result.mapError(decode(body, { errors: "all", onExcessProperty: "error" }), schemaIssues)
}
