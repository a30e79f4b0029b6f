import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { html } from "../../../src/domain/html.ts"
import { cardPage } from "../../../src/http/pages/cardPage.ts"

const page = cardPage(200, "A <title>", html`<p>Words</p>`)
const markup = page.body._tag === "Uint8Array" ? new TextDecoder().decode(page.body.body) : ""
const [, style = ""] = /<style>(.*?)<\/style>/s.exec(markup) ?? []

describe("cardPage", () => {
  it("The policy allows the page's style alone, by its hash", () => {
    const hash = createHash("sha256").update(style).digest("base64")
    assert.strictEqual(
      page.headers["content-security-policy"],
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`
    )
  })

  it("Each color and size that the page declares has the dashboard's value in the same scheme", async () => {
    const tokens = await readFile(new URL("../../../src/dashboard/ui/tokens.css", import.meta.url), "utf8")
    const declared = (css: string) =>
      css
        .split("prefers-color-scheme: dark")
        .flatMap((part, index) =>
          Array.from(part.matchAll(/(--[\w-]+): ([^;]+);/g), ([, name, value = ""]) => `${index} ${name}: ${value}`)
        )
    /** Each of the dashboard's CSS values in both color schemes. */
    const known = new Set(
      Array.from(tokens.matchAll(/(--[\w-]+): ([^;]+);/g)).flatMap(([, name, value = ""]) => {
        const [, light = value, dark = value] = /^light-dark\((.+), (\S+)\)$/.exec(value) ?? []
        return [`0 ${name}: ${light}`, `1 ${name}: ${dark}`]
      })
    )
    assert.isNotEmpty(declared(style))
    assert.deepStrictEqual(
      declared(style).filter((declaration) => !known.has(declaration)),
      []
    )
  })

  it("The title is escaped", () => {
    assert.include(markup, '<h1 id="title">A &lt;title&gt;</h1>')
  })
})
