import { assert, describe, it } from "@effect/vitest"
import { makeMetadataReader } from "../../src/cards/pageMetadata.ts"
import { makePageText } from "../../src/cards/pageText.ts"
import { cpuMillis } from "../support/cpuTime.ts"

const pageMetadata = (markup: string) => {
  const reader = makeMetadataReader()
  reader.write(markup)
  return reader.end()
}

const pageText = (bytes: Uint8Array, contentType: string): string => {
  const text = makePageText(contentType)
  return text.add(bytes) + text.end()
}

const page = (head: string) => `<!doctype html><html><head>${head}</head><body><p>Text</p></body></html>`

describe("pageMetadata", () => {
  it("A page's Open Graph data stands before its other names", () => {
    const { description, images, title } = pageMetadata(
      page(`<title>Plain</title>
        <meta name="description" content="Plain words"><meta name="twitter:title" content="Twitter">
        <META PROPERTY='og:title' CONTENT='Open &amp; Graph'><meta property="og:description" content="Words &lt;here&gt;">
        <meta property="og:image" content="/a.png"><meta property="og:image" content="/second.png">
        <meta property="og:image:secure_url" content="https://example.com/b.png">`)
    )
    assert.strictEqual(title, "Open & Graph")
    assert.strictEqual(description, "Words <here>")
    assert.deepStrictEqual(images, ["https://example.com/b.png", "/a.png", "/second.png"])
  })

  it("A page without Open Graph data has its title and description", () => {
    const head = `<title>\n  A &quot;plain&quot;\u{0}  page\n</title><title>Second</title><meta name=description content=Words>`
    assert.deepStrictEqual(pageMetadata(page(head)), {
      title: 'A "plain" page',
      description: "Words",
      images: []
    })
  })

  it("Only a page's first pictures count, each once", () => {
    const head = Array.from({ length: 40 }, (_, number) => `<meta property="og:image" content="/${number % 10}.png">`)
    assert.deepStrictEqual(pageMetadata(page(head.join(""))).images, ["/0.png", "/1.png", "/2.png", "/3.png"])
  })

  it("What a body names is found only where the head names nothing", () => {
    const body = `<body><meta property="og:title" content="Body"></body>`
    assert.strictEqual(pageMetadata(`<head><title>Plain</title></head>${body}`).title, "Body")
    assert.strictEqual(pageMetadata(`<head><meta property="og:title" content="Head"></head>${body}`).title, "Head")
  })

  it("The title of a drawing is not the title of the page", () => {
    assert.strictEqual(pageMetadata("<svg><title>Icon</title></svg><title>Page</title>").title, "Page")
    assert.strictEqual(pageMetadata("<svg><title>Icon</title></svg>").title, "")
  })

  it("Empty values count as missing", () => {
    const head = `<meta property="og:title" content=" "><title>Page</title><meta property="og:image" content="">`
    assert.deepStrictEqual(pageMetadata(page(head)), { title: "Page", description: "", images: [] })
  })

  it("Long texts are cut at whole characters", () => {
    const { description, title } = pageMetadata(
      page(
        `<meta property="og:title" content="${"👍".repeat(1000)}"><meta property="og:description" content="${"a".repeat(5000)}">`
      )
    )
    assert.isAtMost(title.length, 300)
    assert.isTrue(title.isWellFormed())
    assert.match(title, /…$/u)
    assert.strictEqual(description, `${"a".repeat(999)}…`)
  })

  it.each([
    "",
    "<",
    "<title>Cut o",
    `<meta property="og:title" content="never closed`,
    "\u{0}\u{ff}GIF89a",
    "<svg><svg>"
  ])("Broken markup is no error: %j", (markup) => {
    assert.isString(pageMetadata(markup).title)
  })

  it("Deep and repetitive markup of two megabytes takes no more than a moment", () => {
    const parts = ["<b><i>", "<svg>", "<p>", "<meta ", "<a href='", "&amp", "<!--", "<title>", "</title"]
    const taken = cpuMillis(() => {
      for (const part of parts) pageMetadata(part.repeat(Math.floor(2_000_000 / part.length)))
    })
    assert.isBelow(taken, 10_000)
  })
})

describe("pageText", () => {
  const windows1251 = Uint8Array.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])
  const declared = (head: string) => new Uint8Array(Buffer.concat([Buffer.from(head, "latin1"), windows1251]))

  it("A page is read in the encoding that its header or itself names", () => {
    assert.strictEqual(pageText(windows1251, "text/html; charset=windows-1251"), "Привет")
    assert.include(pageText(declared(`<meta charset="windows-1251">`), "text/html"), "Привет")
    assert.include(
      pageText(declared(`<meta http-equiv="Content-Type" content="text/html; charset=cp1251">`), "text/html"),
      "Привет"
    )
    assert.strictEqual(pageText(Uint8Array.from([0xff, 0xfe, 0x48, 0, 0x69, 0]), "text/html"), "Hi")
  })

  it("Without a known encoding a page is UTF-8, and what is none becomes a replacement character", () => {
    assert.strictEqual(pageText(new TextEncoder().encode("Grüße"), "text/html; charset=klingon"), "Grüße")
    assert.strictEqual(pageText(Uint8Array.from([0x48, 0xff]), "text/html"), "H\u{fffd}")
  })
})
