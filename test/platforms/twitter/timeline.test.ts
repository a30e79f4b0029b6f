import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { postsWithText, readPosts } from "../../../src/platforms/twitter/timeline.ts"

const sent = DateTime.makeUnsafe("2030-01-31T12:00:00.750Z")

interface Shown {
  readonly id?: string
  readonly text?: string | null
  readonly created_at?: string | null
  readonly entities?: unknown
  readonly note_tweet?: unknown
  readonly note_post?: unknown
}

const post = (text: string, more: Shown = {}): Shown => ({
  id: "1",
  text,
  created_at: "2030-01-31T12:00:01.000Z",
  ...more
})

const found = (text: string, ...data: Array<Shown>) => postsWithText(readPosts({ data }), text, sent)

const link = (expanded_url: string | null, url: string | null = "https://t.co/abc") => ({
  urls: [{ url, expanded_url }]
})

describe("postsWithText", () => {
  it("A post created since then is found", () => {
    assert.deepStrictEqual(found("Hello", post("Hello")), ["1"])
  })

  it("A post created earlier, or at a time that neither it nor its id tells, is not found", () => {
    assert.isEmpty(found("Hello", post("Hello", { created_at: "2030-01-31T12:00:00.000Z" })))
    assert.isEmpty(found("Hello", post("Hello", { id: "first", created_at: null })))
  })

  it("The id tells when a post without a time was created", () => {
    const idAt = (time: string) =>
      ((BigInt(DateTime.toEpochMillis(DateTime.makeUnsafe(time))) - 1_288_834_974_657n) << 22n).toString()
    const later = idAt("2030-01-31T12:00:01Z")
    const earlier = idAt("2030-01-31T11:59:59Z")
    assert.deepStrictEqual(
      found("Hello", post("Hello", { id: later, created_at: null }), post("Hello", { id: earlier, created_at: null })),
      [later]
    )
  })

  it("Several are found oldest first", () => {
    assert.deepStrictEqual(
      found("Hello", post("Hello", { id: "2" }), post("Other", { id: "3" }), post("Hello", { id: "1" })),
      ["1", "2"]
    )
  })

  it("Nothing is found on an empty timeline", () => {
    assert.isEmpty(postsWithText(readPosts({}), "Hello", sent))
    assert.isEmpty(postsWithText(readPosts({ data: null, meta: null }), "Hello", sent))
  })

  it("A post that can't be read does not hide the others", () => {
    assert.deepStrictEqual(found("Hello", { id: "3", text: null }, {}, post("Hello")), ["1"])
  })

  it("A post is found although X returns null for what it may leave out", () => {
    const nulls = { entities: null, note_post: null, note_tweet: null }
    assert.deepStrictEqual(found("Hello", post("Hello", nulls)), ["1"])
    assert.deepStrictEqual(found("Hello", post("Hello", { entities: { urls: null } })), ["1"])
    assert.deepStrictEqual(found("Hello", post("Hello", { entities: link(null, null) })), ["1"])
    assert.deepStrictEqual(found("see https://t.co/abc", post("see https://t.co/abc", { entities: link(null) })), ["1"])
  })

  it.each([
    ["escaped characters", "a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"],
    ["text that looks escaped", "&lt; is <", "&amp;lt; is &lt;"],
    ["other white space", " a\r\nb\t\tc ", "a\nb c"],
    ["characters that nobody sees", "a\u200Bb\uFEFF \u2060c", "ab c"],
    ["a variation selector", "I \u2764\uFE0F it", "I \u2764 it"],
    ["composed characters", "de\u0301ja\u0300", "déjà"]
  ])("A post is found despite %s", (_, written, shown) => assert.deepStrictEqual(found(written, post(shown)), ["1"]))

  it.each([
    ["a scheme that X adds", "see example.com/a", "http://example.com/a"],
    ["a slash that X adds", "see https://example.com", "https://example.com/"],
    ["a host in capitals", "see https://EXAMPLE.com/A", "https://example.com/A"],
    ["an address with an ampersand", "see https://example.com/?a=1&b=2", "https://example.com/?a=1&b=2"]
  ])("A post is found despite %s", (_, written, expanded_url) => {
    assert.deepStrictEqual(found(written, post("see https://t.co/abc", { entities: link(expanded_url) })), ["1"])
  })

  it.each([
    ["that X keeps", "see https://t.co/typed", null],
    ["whose destination X shows", "see https://t.co/abc", link("https://example.com/a")],
    ["that X wraps in another one", "see https://t.co/abc", link("https://t.co/typed")]
  ])("A post is found by a text with a short link of X's own %s", (_, shown, entities) =>
    assert.deepStrictEqual(found("see https://t.co/typed", post(shown, { entities })), ["1"])
  )

  it("A short link of X's own stands for one word only", () => {
    assert.isEmpty(found("see https://t.co/typed", post("see more and https://t.co/typed")))
    assert.isEmpty(found("see https://t.co/typed", post("see")))
  })

  it("A post that differs only in a URL is not found", () => {
    const shown = post("see https://t.co/abc", { entities: link("https://example.com/b") })
    assert.isEmpty(found("see https://example.com/a", shown))
  })

  it.each(["note_tweet", "note_post"])("A long post is found by its whole text in %s", (name) => {
    const text = "long ".repeat(100).trim()
    assert.deepStrictEqual(found(text, post("long long…", { [name]: { text } })), ["1"])
  })
})
