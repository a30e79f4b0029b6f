import { assert, describe, it } from "@effect/vitest"
import { richText } from "../../../../src/platforms/bluesky/rules/richText.ts"

/** The parts of the displayed text that facets mark, and what they link to. */
const marked = (text: string) => {
  const { facets, text: shown } = richText(text)
  const bytes = new TextEncoder().encode(shown)
  return facets.map(({ byteEnd, byteStart, feature }) => {
    const part = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(byteStart, byteEnd))
    if (feature._tag === "Link") return [part, feature.uri]
    return [part, feature._tag === "Tag" ? `tag ${feature.tag}` : `handle ${feature.handle}`]
  })
}

// The expected values are what RichText.detectFacets of @atproto/api 0.21.0 finds.
describe("Links in a Bluesky text", () => {
  it.each([
    ["https://example.com", [["example.com", "https://example.com"]]],
    ["see example.com now", [["example.com", "https://example.com"]]],
    ["see example.com, now", [["example.com", "https://example.com"]]],
    ["(https://example.com)", [["example.com", "https://example.com"]]],
    ["https://example.com/a_(b)", [["example.com/a_(b)", "https://example.com/a_(b)"]]],
    ["https://example.com/?q=1.", [["example.com?q=1", "https://example.com/?q=1"]]],
    ["éé https://example.com/é", [["example.com/%C3%A9", "https://example.com/é"]]],
    [
      "👨‍👩‍👧 https://a.com\nhttp://b.org",
      [
        ["a.com", "https://a.com"],
        ["b.org", "http://b.org"]
      ]
    ],
    ["https://example.com:8080/x", [["example.com:8080/x", "https://example.com:8080/x"]]],
    ["example.notatld and 1.2.3 and a.b", []],
    ["EXAMPLE.COM HTTP://example.com", []],
    ["xhttps://example.com", []],
    ["my-site.com", []],
    ["https://", []],
    ["https:///path", []]
  ])("%j has the facets %j", (text, expected) => assert.deepStrictEqual(marked(text), expected))

  it("Links are displayed without scheme and with a long path cut, and lead to the whole URL", () => {
    const uri = "https://example.com/articles/2030/01/31/a-long-title?from=feed#top"
    assert.strictEqual(richText(`Read ${uri} today`).text, "Read example.com/articles/203... today")
    assert.deepStrictEqual(marked(`Read ${uri} today`), [["example.com/articles/203...", uri]])
  })

  it("Links without a scheme are displayed as they were written", () => {
    const text = "example.com/articles/2030/01/31/a-long-title"
    assert.strictEqual(richText(text).text, text)
  })

  it("A URL above the length limit stays plain text", () => {
    assert.deepStrictEqual(marked(`https://example.com/${"a".repeat(8000)}`), [])
  })

  it("A host that begins like a scheme is linked in full", () => {
    assert.deepStrictEqual(marked("httpbin.org/get"), [["httpbin.org/get", "https://httpbin.org/get"]])
  })
})

describe("Mentions in a Bluesky text", () => {
  it.each([
    ["@alice.bsky.social", [["@alice.bsky.social", "handle alice.bsky.social"]]],
    ["hello @alice.test.", [["@alice.test", "handle alice.test"]]],
    [
      "(@alice.com) and (@bob.com)",
      [
        ["@alice.com", "handle alice.com"],
        ["@bob.com", "handle bob.com"]
      ]
    ],
    ["漢字 @alice.com漢字", [["@alice.com", "handle alice.com"]]],
    ["@alice.com_", []],
    ["@alice", []],
    ["alice@example.com", []],
    ["@@alice.com", []]
  ])("%j has the facets %j", (text, expected) => assert.deepStrictEqual(marked(text), expected))
})

describe("Hashtags and cashtags in a Bluesky text", () => {
  it.each([
    ["#tag", [["#tag", "tag tag"]]],
    ["＃tag", [["＃tag", "tag tag"]]],
    [
      "#tag1, #タグ!",
      [
        ["#tag1", "tag tag1"],
        ["#タグ", "tag タグ"]
      ]
    ],
    ["##tag", [["##tag", "tag #tag"]]],
    ["#a-b_c.", [["#a-b_c", "tag a-b_c"]]],
    ["#👨‍👩‍👧", [["#👨", "tag 👨"]]],
    [`#${"a".repeat(64)}`, [[`#${"a".repeat(64)}`, `tag ${"a".repeat(64)}`]]],
    [`#${"a".repeat(65)}`, []],
    ["#1 #. # x#tag (#tag)", []],
    [
      "$AAPL and ($tsla).",
      [
        ["$AAPL", "tag $AAPL"],
        ["$tsla", "tag $TSLA"]
      ]
    ],
    ["$TOOLONG $1 $A-B", []]
  ])("%j has the facets %j", (text, expected) => assert.deepStrictEqual(marked(text), expected))
})

describe("richText", () => {
  it("A text without entities is unchanged, but for its end", () => {
    assert.deepStrictEqual(richText("  Just text,\n\n as written "), {
      text: "  Just text,\n\n as written",
      facets: []
    })
  })

  it.each([
    ["white space at its end", "Hello \n\t\u3000", "Hello"],
    ["CRLF", "One\r\nTwo\r\n\r\nThree", "One\nTwo\n\nThree"],
    ["three or more line breaks", "One\n\n\nTwo\n\n\n\n\nThree", "One\n\nTwo\n\nThree"],
    ["three or more CRLFs", "One\r\n\r\n\r\nTwo", "One\n\nTwo"],
    ["blank lines of white space and zero-width characters", "One\n \t\n\u200b\n  Two", "One\n\n  Two"],
    ["one or two line breaks", "One\nTwo\n\nThree", "One\nTwo\n\nThree"],
    ["a blank line of white space", "One\n \nTwo", "One\n \nTwo"],
    ["white space at its start", "\n\n  One", "\n\n  One"]
  ])("A text with %s is posted as Bluesky's app posts it", (_, written, posted) => {
    assert.strictEqual(richText(written).text, posted)
    assert.strictEqual(richText(posted).text, posted)
  })

  it("Facets are found in the tidied text", () => {
    assert.deepStrictEqual(marked("One\r\n\r\n\r\n#tag\r\nhttps://example.com \r\n"), [
      ["#tag", "tag tag"],
      ["example.com", "https://example.com"]
    ])
  })

  it("No part of a text is marked twice", () => {
    assert.deepStrictEqual(marked("#tag(https://example.com)"), [
      ["#tag(https://example.com", "tag tag(https://example.com"]
    ])
  })
})
