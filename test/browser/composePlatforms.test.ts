import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { widthOf } from "./posts.ts"

const textbox = (page: Page) => page.getByRole("textbox", { name: "Text", exact: true })

/** Leaves only these platforms chosen. */
const chooseOnly = async (page: Page, ...names: ReadonlyArray<string>) => {
  for (const name of ["X", "Bluesky", "LinkedIn", "Threads"]) {
    const chip = page.getByRole("group", { name: "Platforms" }).getByRole("button", { name: new RegExp(`^${name} `) })
    if (((await chip.getAttribute("aria-pressed")) === "true") !== names.includes(name)) await chip.click()
  }
}

describe.skipIf(!canRunBrowser)("Composing for four platforms, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.withPlatforms))((it) => {
    it.effect("On a phone the editor fits the screen, and nothing makes the page higher than the screen", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose", { width: 390, height: 740, touch: true })
        const seen = yield* Effect.promise(async () => {
          await textbox(page).fill("Twelve chars ".repeat(60))
          await page.locator(".compose-ring").nth(3).waitFor()
          const edges = await page
            .locator(".compose-ring, .compose-tabs, .compose-text")
            .evaluateAll((elements) => elements.map((element) => Math.ceil(element.getBoundingClientRect().right)))
          return {
            right: Math.max(...edges),
            height: Number(await page.evaluate("document.documentElement.scrollHeight")),
            width: await widthOf(page),
            faults: await findFaults(page)
          }
        })
        assert.deepStrictEqual(seen, { right: 374, height: 740, width: 390, faults: [] })
      })
    )

    it.effect("A long text on LinkedIn begins folded, under a name without an @, and can be opened", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose")
        const preview = page.locator(".preview-linkedin")
        const seen = yield* Effect.promise(async () => {
          await textbox(page).fill(`Beginning ${"and more ".repeat(30)}end`)
          const before = await preview.locator(".preview-text").innerText()
          await preview.getByRole("button", { name: "…more" }).click()
          const after = await preview.locator(".preview-text").innerText()
          const others = await page.locator(".preview").count()
          return { before, after, others, head: await preview.locator(".preview-names").innerText() }
        })
        assert.match(seen.before, /^Beginning .+…more$/)
        assert.include(seen.after, "and more end")
        assert.strictEqual(seen.others, 2)
        assert.notInclude(seen.head, "@")
      })
    )

    it.effect("A refused setting is marked at its field, and the question whether to publish does not cover it", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose")
        const topic = page.getByLabel("Topic on Threads")
        const refusal = page.getByText(
          "This has to be a topic in one line of up to 50 characters, without #, periods and ampersands."
        )
        const seen = yield* Effect.promise(async () => {
          await textbox(page).fill("Coffee")
          await page.locator(".compose-ring").nth(3).waitFor()
          const checked = Promise.withResolvers<void>()
          await page.route("**/v1/posts/validate", async (route) => {
            await checked.promise
            await route.continue()
          })
          await topic.fill("coffee.now")
          await page.getByRole("button", { name: "Publish now" }).click()
          await page.getByRole("dialog").waitFor()
          checked.resolve()
          await refusal.waitFor()
          await page.getByRole("dialog").waitFor({ state: "detached" })
          await page.getByRole("button", { name: "Publish now" }).click()
          await page.getByText("It can’t be published like this. See what is marked.").waitFor()
          return {
            dialogs: await page.getByRole("dialog").count(),
            invalid: await topic.getAttribute("aria-invalid"),
            alerts: await page.locator(".form-error").count()
          }
        })
        assert.deepStrictEqual(seen, { dialogs: 0, invalid: "true", alerts: 0 })
      })
    )

    it.effect("TikTok’s settings are those that the account has there, and all while TikTok is away", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose")
        const id = "01a1fc17-dc2e-777d-ad63-000000000009"
        const options = {
          username: "roastery",
          display_name: "The roastery",
          settings: [
            { name: "privacy_level", choices: ["SELF_ONLY"], is_available: true },
            { name: "allow_duet", choices: null, is_available: false }
          ],
          max_video_duration_ms: 180_000
        }
        const seen = yield* Effect.promise(async () => {
          await page.route("**/v1/integrations", async (route) => {
            const json = await (await route.fetch()).json()
            json.data.push({ ...json.data[0], id, platform: "tiktok", username: "roastery" })
            await route.fulfill({ json })
          })
          let isAway = false
          await page.route(`**/v1/integrations/${id}/posting-options`, (route) =>
            isAway
              ? route.fulfill({
                  status: 503,
                  json: { code: "platform_unavailable", detail: "TikTok did not say what this account may choose" }
                })
              : route.fulfill({ json: { data: options } })
          )
          const own = page.getByRole("group", { name: "TikTok" })
          const choices = () => own.getByLabel("Who can see the video on TikTok").locator("option").allInnerTexts()
          const show = async () => {
            await page.reload()
            await page.getByRole("button", { name: "TikTok @roastery" }).waitFor()
            const chip = page.getByRole("button", { name: "TikTok @roastery" })
            if ((await chip.getAttribute("aria-pressed")) !== "true") await chip.click()
          }
          await show()
          await own.getByText("Posts to TikTok as The roastery (@roastery). Videos of up to 3 minutes.").waitFor()
          const duet = own.getByRole("checkbox", { name: /Allow duets/ })
          const known = {
            choices: await choices(),
            duet: [await duet.isDisabled(), await duet.isChecked()],
            stitch: await own.getByRole("checkbox", { name: /Allow stitches/ }).isDisabled(),
            terms: await own.getByText(/Music Usage Confirmation/).count()
          }
          isAway = true
          await show()
          await own.getByText("TikTok did not say what this account may choose. All choices are shown").waitFor()
          return { known, away: await choices(), faults: await findFaults(page) }
        })
        assert.deepStrictEqual(seen, {
          known: { choices: ["Choose…", "Only you"], duet: [true, false], stitch: false, terms: 1 },
          away: ["Choose…", "Everyone", "Friends", "Only you"],
          faults: []
        })
      })
    )

    it.effect("No thread is offered for LinkedIn alone, and parts that are there stay with what helps", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose")
        yield* Effect.promise(async () => {
          await textbox(page).fill("One")
          await chooseOnly(page, "LinkedIn", "X")
          await page.getByRole("button", { name: "Add to thread" }).click()
          await page.keyboard.insertText("Two")
          await page.getByText("LinkedIn has no threads. Write a text of its own for it").waitFor()
          await chooseOnly(page, "LinkedIn")
          await page.getByText("LinkedIn has no threads, so nobody would see this part.").waitFor()
          assert.strictEqual(await page.getByRole("button", { name: "Add to thread" }).count(), 0)
          await page.getByRole("button", { name: "Remove part 2" }).click()
          await page.getByText("LinkedIn has no threads", { exact: true }).waitFor()
        })
      })
    )
  })
})
