import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, SchemaIssue } from "effect"
import { formatIssues, formattedIssues, schemaIssues } from "../../src/domain/issues.ts"

const issues = (schema: Schema.Decoder<unknown>, value: unknown) =>
  Result.match(Schema.decodeUnknownResult(schema)(value, { errors: "all" }), {
    onFailure: schemaIssues,
    onSuccess: () => []
  })

describe("schemaIssues", () => {
  it("Every wrong field is an issue with its path", () => {
    const schema = Schema.Struct({ tags: Schema.Array(Schema.String), count: Schema.Int })
    assert.deepStrictEqual(
      issues(schema, { tags: ["a", 1], count: "x" }).map(({ path }) => path),
      [["tags", 1], ["count"]]
    )
  })
})

describe("formattedIssues", () => {
  const firstIssues = (value: unknown, most: number) =>
    Result.match(
      Schema.decodeUnknownResult(Schema.Struct({ tags: Schema.Array(Schema.String) }))(value, { errors: "all" }),
      {
        onFailure: ({ issue }) =>
          formattedIssues(issue, SchemaIssue.makeFormatterStandardSchemaV1(), most).map(({ path }) => path),
        onSuccess: () => []
      }
    )

  it.each([1, 2, 9])("The first %i issues are kept", (most) => {
    assert.deepStrictEqual(
      firstIssues({ tags: Array.from({ length: 10 }, () => 0) }, most),
      Array.from({ length: most }, (_, index) => ["tags", index])
    )
  })
})

describe("formatIssues", () => {
  it("Issues are joined on one line, each with its path", () => {
    assert.strictEqual(
      formatIssues([
        { path: ["tags", 1], message: "Expected a string" },
        { path: ["count"], message: "Expected an integer" }
      ]),
      "tags.1: Expected a string; count: Expected an integer"
    )
  })

  it("An issue of the whole value has the name of the root, if that is given", () => {
    const issue = { path: [], message: "Expected an object" }
    assert.strictEqual(formatIssues([issue]), "Expected an object")
    assert.strictEqual(formatIssues([issue], "body"), "body: Expected an object")
  })
})
