import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { createPost, hoursAhead, makeAgentKey, widthOf } from "./posts.ts"
import { both, picture } from "./samples.ts"

/** Publishes a post on Bluesky, and returns its address in Bluesky's app. */
const publishOnBluesky = Effect.gen(function* () {
  const { key } = yield* Dashboard
  const id = yield* createPost(key, {
    content: "The first release",
    platforms: ["bluesky"],
    schedule_at: hoursAhead(0)
  })
  const page = yield* enter(`/posts/${id}`)
  const href = yield* Effect.promise(() =>
    page.getByRole("link", { name: "View on Bluesky" }).getAttribute("href", { timeout: 20_000 })
  )
  return `https://bsky.app${/\/profile\/.*/.exec(href ?? "")?.[0]}`
})

const readQuote = async (page: Page) => {
  const card = page.locator(".preview-bluesky .preview-card")
  await card.getByText("Quoted from bsky.app").waitFor()
  return {
    quote: await card.innerText(),
    onX: await page.locator(".preview-twitter .preview-card").count(),
    faults: await findFaults(page),
    width: await widthOf(page)
  }
}

describe.skipIf(!canRunBrowser)("A Bluesky post that is quoted, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect.each([
      { width: 1440, colorScheme: "light" },
      { width: 390, colorScheme: "dark" }
    ] as const)("At $width pixels, composer, Approvals and the post's page show it, also below a picture", (options) =>
      Effect.gen(function* () {
        const { width } = options
        const link = yield* publishOnBluesky
        const expected = {
          quote: "Demo (@demo.sandbox.test)\nThe first release\nQuoted from bsky.app",
          onX: 0,
          faults: [],
          width
        }
        const compose = yield* enter("/compose", options)
        const files = yield* picture
        const composed = yield* Effect.promise(async () => {
          await compose.getByRole("textbox", { name: "Text", exact: true }).fill(`As we said: ${link}`)
          const plain = await readQuote(compose)
          await compose.getByLabel("Pictures or a video").setInputFiles(files)
          await compose.locator(".preview-bluesky .preview-medium img").waitFor()
          return [plain, await readQuote(compose)]
        })
        assert.deepStrictEqual(composed, [expected, expected])

        const id = yield* createPost(yield* makeAgentKey, {
          content: `As we said: ${link}`,
          platforms: both,
          schedule_at: hoursAhead(30)
        })
        const approvals = yield* enter("/approvals", options)
        const asked = yield* Effect.promise(async () => {
          const found = await readQuote(approvals)
          await approvals.keyboard.press("a")
          await approvals.getByRole("heading", { name: "Nothing waits for approval" }).waitFor()
          return found
        })
        const post = yield* enter(`/posts/${id}`, options)
        const shown = yield* Effect.promise(() => readQuote(post))
        assert.deepStrictEqual([asked, shown], [expected, expected])
      })
    )
  })
})
