import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { jsonReader } from "../../src/platforms/json.ts"

const Answer = Schema.toCodecJson(
  Schema.Struct({
    id: Schema.String.check(Schema.isPattern(/^\d+$/)),
    at: Schema.optionalKey(Schema.DateTimeUtcFromString),
    size: Schema.optionalKey(Schema.Finite)
  })
)
const read = jsonReader(Answer)
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Answer))

describe("jsonReader", () => {
  it.each([
    '{"id":"12"}',
    ' {"id":"1","more":[{}]}\n',
    '{"id":"1","at":"2030-01-31T12:00:00.000Z"}',
    '{"id":"1","size":2.5}'
  ])("reads what a schema of the text decodes: %s", (text) => {
    assert.isTrue(Option.isSome(read(text)))
    assert.deepStrictEqual(read(text), decode(text))
  })

  it.each([
    "",
    " ",
    "{",
    '{"id":"1"',
    "{'id':'1'}",
    '{"id":"1"}}',
    "undefined",
    "\ufeff{}",
    "<html>",
    "null",
    "[]",
    '"12"',
    "12",
    "{}",
    '{"id":12}',
    '{"id":"a"}',
    '{"id":"1","at":"soon"}',
    '{"id":"1","at":null}',
    '{"id":"1","size":1e999}',
    '{"__proto__":{"id":"1"}}'
  ])("reads nothing where a schema of the text fails: %s", (text) => {
    assert.isTrue(Option.isNone(read(text)))
    assert.isTrue(Option.isNone(decode(text)))
  })
})
