import { assert, describe, it } from "@effect/vitest"
import { explainUnlinked } from "../../../../src/platforms/bluesky/rules/unlinked.ts"

const dots = "put a space before the dots"
const scheme = "write https:// before it"
const space = "put a space before it"
const small = "write its beginning in small letters"

describe("explainUnlinked", () => {
  it.each([
    ["Read https://example.com...", "https://example.com", dots],
    ["Read example.com...", "example.com", dots],
    ["Read https://example.com/a...", "https://example.com/a", dots],
    ["Drink coca-cola.com today", "coca-cola.com", scheme],
    ["Drink Coca-Cola.com.", "Coca-Cola.com", scheme],
    ["詳細はhttps://example.com/aです", "https://example.com/aです", space],
    ["詳細はexample.comをご覧ください", "example.com", space],
    ["「https://example.com」", "https://example.com", space],
    ["HTTPS://example.com", "HTTPS://example.com", small]
  ])("%j has a link that Bluesky does not make: %s", (text, found, step) => {
    assert.deepStrictEqual(explainUnlinked(text), [`makes no link of ${found} as it is written: ${step}`])
  })

  it.each([
    "See https://example.com.",
    "See (example.com), and https://coca-cola.com/a-b?c=d.e-f!",
    "https://example.com/a_(b) and https://example.com:8080/x",
    "詳細は https://example.com/a です",
    "ada@coca-cola.com, @coca-cola.com, #coca-cola.com",
    "1.2.3, e.g. this, index.ts, state-of-the-art.Then more. Wait...",
    "half-finished.notatld",
    "a...b",
    ""
  ])("%j has none", (text) => assert.deepStrictEqual(explainUnlinked(text), []))

  it("A long text takes no longer than its length says, and has five reasons at most", () => {
    assert.lengthOf(explainUnlinked("a-b.com ".repeat(1000)), 5)
    for (const part of ["a.", "a-", "-.", "https://", "あa-b.", "a-b.c."]) explainUnlinked(part.repeat(20_000))
  })
})
