import { assert, describe, it } from "@effect/vitest"
import { firstLink, quoteLink, richText } from "../../src/dashboard/ui/preview/richText.ts"
import { explainUnlinked } from "../../src/platforms/bluesky/rules/unlinked.ts"
import { richText as sentText } from "../../src/platforms/bluesky/rules/richText.ts"

const colored = (...args: Parameters<typeof richText>) =>
  richText(...args)
    .filter(({ kind }) => kind !== "text")
    .map(({ kind, text }) => `${kind} ${text}`)

describe("The parts of a text in a preview", () => {
  it("X shows a link without its scheme, cut to the length that it counts", () => {
    assert.deepStrictEqual(colored("See https://www.example.com/products/summer-2026.", "twitter"), [
      "link example.com/products/s…"
    ])
  })

  it("Bluesky cuts the path of a link alone", () => {
    assert.deepStrictEqual(colored("See https://www.example.com/products/summer-2026.", "bluesky"), [
      "link www.example.com/products/sum..."
    ])
  })

  it("An address without a scheme is shown in the preview as it is sent: on Bluesky as it was written", () => {
    const address = "example.com/products/summer-2026/all"
    assert.deepStrictEqual(colored(`See ${address}`, "bluesky"), [`link ${address}`])
    assert.strictEqual(sentText(`See ${address}`).text, `See ${address}`)
    const whole = `https://${address}`
    assert.deepStrictEqual(colored(whole, "bluesky"), [`link ${sentText(whole).text}`])
  })

  it("A mention is what the platform takes for a handle", () => {
    const text = "Thanks @acme and @acme.example!"
    assert.deepStrictEqual(colored(text, "twitter"), ["mention @acme", "mention @acme"])
    assert.deepStrictEqual(colored(text, "bluesky"), ["mention @acme.example"])
  })

  it("Hashtags may have letters of any language, and an address is neither a mention nor a tag", () => {
    assert.deepStrictEqual(colored("#Größe #新機能 #1 ada@example.com a#b", "bluesky"), ["tag #Größe", "tag #新機能"])
  })

  it.each([
    "https://example.com...",
    "coca-cola.com",
    "my.coca-cola.com",
    "新作はこちらhttps://example.jp/a",
    "HTTPS://Example.com",
    "「https://example.com」"
  ])("Bluesky makes no link of %s, and its preview shows none", (text) => {
    assert.deepStrictEqual(colored(`See ${text}`, "bluesky"), [])
    assert.deepStrictEqual(explainUnlinked(`See ${text}`).length, 1)
    assert.isUndefined(firstLink(`See ${text}`, "bluesky"))
    assert.strictEqual(colored(`See ${text}`, "twitter").length, 1)
  })

  it.each(["https://example.com.", "(https://example.com)", "example.com/a-b", "Example.com!", "https://a-b.com/c"])(
    "Bluesky makes a link of %s, and its preview shows it",
    (text) => {
      assert.strictEqual(colored(`See ${text}`, "bluesky").length, 1)
      assert.deepStrictEqual(explainUnlinked(`See ${text}`), [])
    }
  )

  it("No character is lost, apart from what shortens links", () => {
    const text = "Über 14 Farben! #Sommer (https://example.com/a) @acme"
    assert.strictEqual(
      richText(text, "twitter")
        .map((part) => part.text)
        .join(""),
      text.replace("https://", "")
    )
  })

  it("Threads makes a topic of the first tag alone, and shows it without its #", () => {
    assert.deepStrictEqual(richText("#1 #one and #two", "threads"), [
      { kind: "text", text: "#1 " },
      { kind: "tag", text: "one" },
      { kind: "text", text: " and #two" }
    ])
  })

  it("The card is of the first link", () => {
    assert.strictEqual(firstLink("@acme see example.com/a and https://example.org", "bluesky"), "example.com/a")
    assert.isUndefined(firstLink("no link", "bluesky"))
  })

  it.each([
    "https://bsky.app/profile/ada.example/post/3lhxkz7ab2c2d",
    "bsky.app/profile/did:plc:abc/feed/cats",
    "https://bsky.app/profile/ada.example/lists/cats?a=b",
    "https://bsky.app/starter-pack/ada.example/3lhxkz7ab2c2d"
  ])("A post on Bluesky can quote %s, also behind another link", (link) => {
    assert.strictEqual(quoteLink(`See example.com and ${link}`, "bluesky"), link)
    assert.isUndefined(quoteLink(link, "twitter"))
  })

  it.each([
    "https://bsky.app/profile/ada.example",
    "https://example.com/profile/ada.example/post/3lhxkz7ab2c2d",
    "https://bsky.app/hashtag/cats"
  ])("%s is nothing that a post can quote", (link) => assert.isUndefined(quoteLink(link, "bluesky")))
})
