import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option } from "effect"
import { findOnTimeline, type Timeline } from "../../../src/platforms/twitter/timeline.ts"

const sent = DateTime.makeUnsafe("2030-01-31T12:00:00.750Z")

type Post = NonNullable<Timeline["data"]>[number]

const post = (text: string, more: Partial<Post> = {}): Post => ({
  id: "1",
  text,
  created_at: "2030-01-31T12:00:00.000Z",
  ...more
})

const found = (text: string, ...data: Array<Post>) => Option.getOrNull(findOnTimeline({ data }, text, sent))

describe("findOnTimeline", () => {
  it("A post created in the same second is found, because X returns whole seconds", () => {
    assert.strictEqual(found("Hello", post("Hello")), "1")
  })

  it("A post created earlier or at an unknown time is not found", () => {
    assert.isNull(found("Hello", post("Hello", { created_at: "2030-01-31T11:59:59.000Z" })))
    assert.isNull(found("Hello", { id: "1", text: "Hello" }))
  })

  it("The oldest of several is found", () => {
    assert.strictEqual(found("Hello", post("Hello", { id: "2" }), post("Other", { id: "3" }), post("Hello")), "1")
  })

  it("Nothing is found on an empty timeline", () => {
    assert.isTrue(Option.isNone(findOnTimeline({}, "Hello", sent)))
  })

  it.each([
    ["escaped characters", "a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"],
    ["text that looks escaped", "&lt; is <", "&amp;lt; is &lt;"],
    ["other white space", " a\r\nb\t\tc ", "a\nb c"],
    ["composed characters", "de\u0301ja\u0300", "déjà"]
  ])("A post is found despite %s", (_, written, shown) => assert.strictEqual(found(written, post(shown)), "1"))

  it.each([
    ["a scheme that X adds", "see example.com/a", "http://example.com/a"],
    ["a slash that X adds", "see https://example.com", "https://example.com/"],
    ["a host in capitals", "see https://EXAMPLE.com/A", "https://example.com/A"],
    ["an address with an ampersand", "see https://example.com/?a=1&b=2", "https://example.com/?a=1&b=2"]
  ])("A post is found despite %s", (_, written, expanded_url) => {
    const shown = post("see https://t.co/abc", { entities: { urls: [{ url: "https://t.co/abc", expanded_url }] } })
    assert.strictEqual(found(written, shown), "1")
  })

  it("A post that differs only in a URL is not found", () => {
    const shown = post("see https://t.co/abc", {
      entities: { urls: [{ url: "https://t.co/abc", expanded_url: "https://example.com/b" }] }
    })
    assert.isNull(found("see https://example.com/a", shown))
  })

  it("A long post is found by its whole text", () => {
    assert.strictEqual(
      found("long ".repeat(100), post("long long…", { note_tweet: { text: "long ".repeat(100).trim() } })),
      "1"
    )
  })
})
