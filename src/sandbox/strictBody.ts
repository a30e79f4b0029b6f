import { Result, Schema, SchemaIssue } from "effect"

/** Something that is wrong with a body, and where. */
export interface BodyIssue {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const member = (segment: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const key = typeof segment === "object" ? segment.key : segment
  return typeof key === "number" ? key : String(key)
}

/** Reads a JSON body, with members that the schema does not list as an error; answers everything that is wrong. */
export const strictBody = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.toCodecJson(schema)))
  return (body: string): Result.Result<S["Type"], ReadonlyArray<BodyIssue>> =>
    Result.mapError(decode(body, { errors: "all", onExcessProperty: "error" }), (error) =>
      formatIssues(error.issue).issues.map((issue) => ({
        path: (issue.path ?? []).map(member),
        message: issue.message
      }))
    )
}
