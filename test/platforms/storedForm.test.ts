import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { storedForm } from "../../src/platforms/storedForm.ts"

const stored = storedForm("APost")
const Form = Schema.Struct({ ...stored.fields, text: Schema.String })
const read = Schema.decodeUnknownOption(Form)

describe("storedForm", () => {
  it("What the version before stored without tag and version is read", () => {
    assert.deepStrictEqual(read({ text: "a" }), Option.some({ text: "a" }))
    assert.isTrue(Option.isSome(read({ ...stored.members, text: "a" })))
  })

  it.each([[{ _tag: "AnotherPost" }], [{ version: 2 }], [{ _tag: null }], [{ version: "1" }]])(
    "A form of another kind or version is not read: %j",
    (members) => {
      assert.isTrue(Option.isNone(read({ ...members, text: "a" })))
    }
  )
})
