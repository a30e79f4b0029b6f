import { RichText } from "@atproto/api"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { richText as ownText } from "../../../src/platforms/bluesky/rules/richText.ts"
import { countGraphemes } from "../../../src/domain/posts/text/textLength.ts"
import { postRecord } from "../../../src/platforms/bluesky/postRecord.ts"
import { seededRandom } from "../../support/generated/seededRandom.ts"
import { start } from "../world.ts"
import { appPost, indexed, richText } from "./appPost.ts"

/** Pieces of facets, which are combined at random. */
const fragments = [
  "@alice.test @ALICE.test @bsky.app @a.b @ @@ #tag # ## ＃全角 #1 #1a #a-b #🇬🇧 $AAPL $aapl $",
  "https://example.com http://example.com/a/long/path/that/is/cut?x=1#y https://a https://пример.рф/путь/к/странице",
  "https://user:pass@example.com:8080/x https://example.com/é/ü/é/ü/é/ü example.com EXAMPLE.COM Example.Com/Path",
  "пример.рф a.b.c.com 1.com a1.com foo.bar bbc.co.uk/news/1 ( ) (( . , ! ? : ; … ' \" ’ - _ / \\ | <",
  "👨‍👩‍👧 🇬🇧 é e\u0301 שלום مرحبا 漢字 word a \u200b \u200d \u200f \ufe0f"
].flatMap((line) => line.split(" "))
const spaces = [" ", "  ", "\n", "\r\n", "\n\n", "\n \u200b", "\r", "\t", "\u00a0", "\u3000"]

describe("A random text on Bluesky", () => {
  it.effect("The record equals that of Bluesky's own client for twenty thousand random texts", () =>
    Effect.sync(() => {
      const next = seededRandom(20_300_131)
      for (let count = 0; count < 20_000; count++) {
        const pick = (from: ReadonlyArray<string>) => from[Math.floor(next() * from.length)]
        const parts = Array.from({ length: 1 + Math.floor(next() * 7) }, () => pick(next() < 0.25 ? spaces : fragments))
        const written = parts.join("")
        const own = ownText(written)
        // Without a PDS each handle is used in place of its DID.
        const handles = own.facets.flatMap(({ feature }) => (feature._tag === "Mention" ? [feature.handle] : []))
        const record = postRecord(own, new Map(handles.map((handle) => [handle, handle])), start)
        const rich = richText(written)
        rich.detectFacetsWithoutResolution()
        const expected = appPost(rich)
        assert.deepEqual(
          { text: record.text, facets: indexed(record.facets) },
          { text: expected.text, facets: indexed(expected.facets) },
          written
        )
      }
    })
  )

  it.effect("Random code points are counted as the PDS counts them", () =>
    Effect.sync(() => {
      const next = seededRandom(11)
      const joining = [0x200d, 0x200c, 0xfe0f, 0x1f3fb, 0x1f1e6, 0x094d, 0x0dca, 0x0d4d, 0x1039, 0x17d2, 0x0300, 0x1161]
      const codePoint = () =>
        next() < 0.5 ? (joining[Math.floor(next() * joining.length)] ?? 0) : Math.floor(next() * 0x20000)
      for (let count = 0; count < 20_000; count++) {
        const written = String.fromCodePoint(...Array.from({ length: 6 }, codePoint)).toWellFormed()
        assert.strictEqual(
          countGraphemes(written),
          new RichText({ text: written }).graphemeLength,
          JSON.stringify(written)
        )
      }
    })
  )
})
