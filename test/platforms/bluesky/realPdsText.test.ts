import { RichText } from "@atproto/api"
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { measure } from "../../../src/platforms/bluesky/rules/text.ts"
import { createPostError, getPost, member, pdsWorld, preparedKey } from "./pdsWorld.ts"
import { appPost, indexed, richText } from "./appPost.ts"
import { outcome, start } from "../world.ts"

/** `@me` is replaced by the handle of the account that posts. */
const texts: ReadonlyArray<[string, string]> = [
  ["a text without facets", "Just text,\n\n  as it was written."],
  ["a link", "See https://example.com for more"],
  ["a link without a scheme", "See example.com/about for more"],
  ["a link in capitals", "See EXAMPLE.COM and Example.Com/Path"],
  ["a long link", "https://example.com/a/rather/long/path?with=a&query=too#and-a-fragment"],
  ["a long link without a scheme", "example.com/a/rather/long/path?with=a&query=too"],
  ["a long link before other things", "https://example.com/a/rather/long/path, says @me #news and https://example.org"],
  ["a long link of many bytes", "https://例え.jp/とても/長い/道/です #あと @me"],
  ["a link with a port and a name", "https://user:pass@example.com:8080/path"],
  ["a link that ends a sentence", "Read https://example.com/a. Or example.com! Or https://example.com/b?"],
  ["a link in parentheses", "Text (https://example.com/a) and (example.com)."],
  [
    "a link with parentheses",
    "https://en.wikipedia.org/wiki/Rust_(fungus) (https://en.wikipedia.org/wiki/Rust_(fungus))"
  ],
  ["a link in quotes", "\"https://example.com\" and 'https://example.com'"],
  ["a link right after a word", "seehttps://example.com and x:https://example.com"],
  ["text that only looks like a link", "e.g. this... and v1.2.3, file.txt, foo.bar.baz and 1.com"],
  ["new top-level domains", "example.app example.dev example.photography example.xn--p1ai"],
  ["a mention that resolves", "Hello @me"],
  ["a mention in capitals", "Hello @ME"],
  ["a mention that does not resolve", "Hello @nobody.test and @nobody.example.com"],
  ["mentions with punctuation", '@me, (@me) @me: @me\'s "@me" @me. -@me'],
  ["mentions of both kinds", "@nobody.test @me @nobody.test"],
  ["text that only looks like a mention", "me@example.com @ @me_too @@me @alice"],
  ["hashtags", "#one #two, #three! (#four) #five-six_7"],
  ["full-width hashtags", "＃タグ と #タグ。"],
  ["text that only looks like a hashtag", "#1 #. # ## #\u200b #\ufe0f a#b"],
  ["doubled hashtags", "##one #one#two"],
  ["a hashtag of emoji", "#👩‍👩‍👧 #❤️ #🇬🇧"],
  ["a hashtag too long", `#${"a".repeat(64)} #${"b".repeat(65)}`],
  ["cashtags", "$AAPL $aapl, ($TSLA) $1 $TOOLONG a$B"],
  ["emoji before facets", "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿 @me 🇬🇧 https://example.com/a/rather/long/path 👍🏽 #news"],
  ["right-to-left text", "שלום @me וגם https://example.com/a/rather/long/path #חדשות مرحبا #أخبار"],
  ["marks of direction", "\u200f@me \u202bhttps://example.com\u202c \u2067#tag\u2069"],
  [
    "combining characters",
    "e\u0301te\u0301 https://example.com/e\u0301te\u0301/e\u0301te\u0301/e\u0301te\u0301 #e\u0301te\u0301 @me"
  ],
  ["many scripts", "Ελλάδα @me Россия example.com/привет ไทย #ไทย हिन्दी #हिन्दी 한국어 #한국어"],
  ["other white space", "@me\u00a0#tag\u3000https://example.com\t#tab\r\n#line\u2028#separator"],
  ["line breaks of all kinds", "One\r\n\r\n\r\n@me\n\n\n\n#tag\n \u200b\n\nexample.com\r\n \n "],
  ["a link in a hashtag", "#tag(https://example.com) and https://example.com/#tag"],
  ["a mention in a link", "https://bsky.app/profile/@me and example.com/(@me)"]
]

/** Each is one character to its reader, though not always one grapheme. Of those of many bytes the PDS accepts fewer than 300. */
const characters = "a é e\u0301 漢 👍🏽 🇬🇧 ❤️ 각 각 a\u200d நி क्षि က္က ක්‍ෂ 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 z\u0300\u0301\u0302\u0303\u0304".split(" ")

class Writer extends Context.Service<Writer, Effect.Success<typeof member>>()("test/Writer") {}

const writerWorld = Layer.effect(Writer, member).pipe(Layer.provideMerge(pdsWorld()))

layer(writerWorld)("A text on a real PDS", (it) => {
  it.effect.each(texts)("The record equals that of Bluesky's own client for %s", ([, template]) =>
    Effect.gen(function* () {
      const { account, adapter, person, prepare } = yield* Writer
      const written = template
        .replaceAll("@me", `@${person.handle}`)
        .replaceAll("@ME", `@${person.handle.toUpperCase()}`)
      const prepared = yield* prepare(written)
      yield* sendPost(adapter, prepared, account)
      const { value } = yield* getPost(person, preparedKey(prepared))
      const rich = richText(written)
      yield* Effect.promise(() => rich.detectFacets(person.agent))
      const expected = appPost(rich)
      assert.strictEqual(value.text, expected.text)
      assert.deepEqual(indexed(value.facets), indexed(expected.facets))
    })
  )

  it.effect.each(["httpbin.org/get", "http:///path", "https://. #tag"])(
    "A text is published although the PDS refuses the record of Bluesky's own client: %s",
    (written) =>
      Effect.gen(function* () {
        const { person, publish } = yield* Writer
        const rich = new RichText({ text: written })
        rich.detectFacetsWithoutResolution()
        const record = { ...appPost(rich), createdAt: DateTime.formatIso(start) }
        assert.include(yield* createPostError(person, record), "uri")
        assert.strictEqual(yield* outcome(publish(written)), "success")
      })
  )

  it.effect.each(characters)("The longest text of %j that the PDS accepts is published", (character) =>
    Effect.gen(function* () {
      const { person, publish } = yield* Writer
      const graphemes = new RichText({ text: character }).graphemeLength
      const maxCharacters = 1 + Math.min(Math.floor(299 / graphemes), Math.floor(2999 / Buffer.byteLength(character)))
      const longest = `a${character.repeat(maxCharacters - 1)}`
      const tooLong = `${longest}${character}`
      assert.strictEqual(yield* outcome(publish(longest)), "success")
      assert.strictEqual(yield* outcome(publish(tooLong)), "Rejected")
      assert.isFalse(measure(tooLong).valid)
      assert.match(
        yield* createPostError(person, { text: tooLong, createdAt: DateTime.formatIso(start) }),
        /too (long|big)/
      )
    })
  )
})
