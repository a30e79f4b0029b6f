import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { makeReadArguments } from "../../src/mcp/readArguments.ts"

const read = makeReadArguments(
  Schema.Struct({
    content: Schema.String,
    count: Schema.optionalKey(Schema.Int),
    wait: Schema.optional(Schema.Boolean),
    kind: Schema.optionalKey(Schema.Literals(["a", "7"])),
    tags: Schema.optionalKey(Schema.Array(Schema.String)),
    media: Schema.optionalKey(
      Schema.Array(Schema.Struct({ id: Schema.String, alt: Schema.optionalKey(Schema.String) }))
    ),
    texts: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    group: Schema.optionalKey(Schema.NullOr(Schema.String)),
    any: Schema.optionalKey(Schema.Json)
  })
)

describe("readArguments", () => {
  it("Null is unset, at every depth, and so is an object in which everything is null", () => {
    assert.deepStrictEqual(
      read({
        content: null,
        count: null,
        wait: null,
        kind: null,
        tags: null,
        media: [{ id: "1", alt: null }],
        texts: { twitter: null, bluesky: "Hi" },
        group: null,
        any: null
      }),
      { media: [{ id: "1" }], texts: { bluesky: "Hi" } }
    )
  })

  it("An object of nulls is unset, and an empty one stays empty", () => {
    assert.deepStrictEqual(read({ texts: { twitter: null, bluesky: null }, content: "a" }), { content: "a" })
    assert.deepStrictEqual(read({ texts: {}, content: "a" }), { texts: {}, content: "a" })
  })

  it("A text that is JSON of the wanted kind is that value", () => {
    assert.deepStrictEqual(
      read({
        count: "3",
        wait: "true",
        tags: '["a","b"]',
        media: '[{"id":"1","alt":null}]',
        texts: '{"twitter":"Hi"}'
      }),
      { count: 3, wait: true, tags: ["a", "b"], media: [{ id: "1" }], texts: { twitter: "Hi" } }
    )
    assert.deepStrictEqual(read({ media: ['{"id":"1"}'], count: "null" }), { media: [{ id: "1" }] })
  })

  it("A text stays a text where one is wanted, and what fits nothing stays for the schema to refuse", () => {
    const args = {
      content: '["a"]',
      kind: "7",
      group: "null",
      any: "[1]",
      count: "three",
      wait: '"true"',
      tags: "a, b",
      media: { id: "1" },
      unknown: null
    }
    assert.deepStrictEqual(read(args), args)
    for (const other of [undefined, null, 1, "{}", [1]])
      assert.deepStrictEqual(read(other), other === "{}" ? {} : other)
  })
})
