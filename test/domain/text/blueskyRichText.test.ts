import { assert, describe, it } from "@effect/vitest"
import { blueskyText } from "../../../src/domain/text/blueskyRichText.ts"

/** What is marked, as the shown text's bytes say, and what it stands for. */
const marked = (text: string) => {
  const { facets, text: shown } = blueskyText(text)
  const bytes = new TextEncoder().encode(shown)
  return facets.map(({ byteEnd, byteStart, feature }) => {
    const part = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(byteStart, byteEnd))
    if (feature._tag === "Link") return [part, feature.uri]
    return [part, feature._tag === "Tag" ? `tag ${feature.tag}` : `handle ${feature.handle}`]
  })
}

// The expected values are what RichText.detectFacets of @atproto/api 0.21.0 finds.
describe("links in a Bluesky text", () => {
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
  ])("%j: %j", (text, expected) => assert.deepStrictEqual(marked(text), expected))

  it("are shown without their scheme and with a long path cut short, and lead to the whole address", () => {
    const uri = "https://example.com/articles/2030/01/31/a-long-title?from=feed#top"
    assert.strictEqual(blueskyText(`Read ${uri} today`).text, "Read example.com/articles/203... today")
    assert.deepStrictEqual(marked(`Read ${uri} today`), [["example.com/articles/203...", uri]])
  })

  it("without a scheme are shown as they were written", () => {
    const text = "example.com/articles/2030/01/31/a-long-title"
    assert.strictEqual(blueskyText(text).text, text)
  })

  it("that are longer than any address stay text", () => {
    assert.deepStrictEqual(marked(`https://example.com/${"a".repeat(8000)}`), [])
  })

  it("keep their whole address where the host only begins like a scheme", () => {
    assert.deepStrictEqual(marked("httpbin.org/get"), [["httpbin.org/get", "https://httpbin.org/get"]])
  })
})

describe("mentions in a Bluesky text", () => {
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
  ])("%j: %j", (text, expected) => assert.deepStrictEqual(marked(text), expected))
})

describe("hashtags and cashtags in a Bluesky text", () => {
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
  ])("%j: %j", (text, expected) => assert.deepStrictEqual(marked(text), expected))
})

describe("a Bluesky text", () => {
  it("without anything to mark is shown as it is", () => {
    assert.deepStrictEqual(blueskyText("  Just text,\n\n as written "), {
      text: "  Just text,\n\n as written ",
      facets: []
    })
  })

  it("marks no part twice", () => {
    assert.deepStrictEqual(marked("#tag(https://example.com)"), [
      ["#tag(https://example.com", "tag tag(https://example.com"]
    ])
  })
})
