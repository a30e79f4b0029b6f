import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { longVideo } from "../media/sampleFiles.ts"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { widthOf } from "./posts.ts"

const unlinked = "https://example.com... coca-cola.com 新作https://example.jp/a"

describe.skipIf(!canRunBrowser)("The notes of a post that is being written, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect.each([
      { width: 1440, colorScheme: "light" },
      { width: 390, colorScheme: "dark" }
    ] as const)(
      "At $width pixels, notes name the addresses of which Bluesky makes no link, and its preview shows no link",
      (options) =>
        Effect.gen(function* () {
          const page = yield* enter("/compose", options)
          const found = yield* Effect.promise(async () => {
            await page.getByRole("textbox", { name: "Text", exact: true }).fill(`${unlinked} https://example.org/b`)
            await page.locator(".field-doubt").nth(2).waitFor()
            const links = (platform: string) => page.locator(`.preview-${platform} .preview-entity`).allInnerTexts()
            return {
              notes: await page.locator(".field-doubt").allInnerTexts(),
              ofBluesky: await links("bluesky"),
              ofX: await links("twitter"),
              faults: await findFaults(page),
              width: await widthOf(page)
            }
          })
          assert.deepStrictEqual(found, {
            notes: [
              "Bluesky makes no link of https://example.com as it is written: put a space before the dots.",
              "Bluesky makes no link of coca-cola.com as it is written: write https:// before it.",
              "Bluesky makes no link of https://example.jp/a as it is written: put a space before it."
            ],
            ofBluesky: ["example.org/b"],
            ofX: ["example.com", "coca-cola.com", "example.jp/a", "example.org/b"],
            faults: [],
            width: options.width
          })
        })
    )

    it.effect("A note below a video of 150 seconds says that some accounts on X can't post it", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose")
        const buffer = yield* Effect.promise(longVideo)
        const faults = yield* Effect.promise(async () => {
          const files = { name: "talk.mp4", mimeType: "video/mp4", buffer }
          await page.getByLabel("Pictures or a video").setInputFiles(files)
          const note = "X accepts videos of more than 140 s only from some accounts, and this one has 150 s."
          await page.locator(".field-doubt").getByText(note).waitFor()
          return findFaults(page)
        })
        assert.deepStrictEqual(faults, [])
      })
    )
  })
})
