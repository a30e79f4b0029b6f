import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { changePost, createPost, hoursAhead } from "./posts.ts"

describe.skipIf(!canRunBrowser)("The history of a post in the dashboard, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("It says what was changed, and shows the text that a person replaced", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const body = { content: "Written by a program", platforms: ["twitter"], schedule_at: hoursAhead(40) }
        const id = yield* createPost(key, body)
        const page = yield* enter(`/compose?post=${id}`)
        yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Written by a person")
          await page.getByRole("button", { name: "Save", exact: true }).click()
          await page.waitForURL(({ pathname }) => pathname !== "/compose")
        })
        yield* Effect.promise(async () => {
          await page.goto(new URL(`/posts/${id}`, page.url()).href)
          const history = page.getByRole("region", { name: "History" })
          await history.getByText(/ changed the text/).waitFor()
          await history.getByText("The text before").click()
          await history.getByText("Written by a program").waitFor()
        })
        assert.deepStrictEqual(yield* Effect.promise(() => findFaults(page)), [])
        yield* changePost(key, id, { scheduled_at: hoursAhead(50) })
        yield* changePost(key, id, { tags: ["a"], platforms: ["twitter", "bluesky"] })
        yield* changePost(key, id, { status: "draft" })
        yield* Effect.promise(async () => {
          await page.reload()
          const history = page.getByRole("region", { name: "History" })
          await history.getByText(/ made it a draft$/).waitFor()
          await history.getByText(/ changed the tags and the platforms$/).waitFor()
          await history.getByText(/ moved it to /).waitFor()
          await history.getByText(/ scheduled it for /).waitFor()
        })
      })
    )

    it.effect("It keeps each rejection's reason, handles as they were, looks and renewed requests", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, { content: "Hello", platforms: ["twitter"] })
        const page = yield* enter("/posts")
        const timestamp = new Date().toISOString()
        const entry = (type: string, data: object, details: object | null, by: object | null = null) => ({
          id: `${type} ${JSON.stringify([details, by])}`,
          event: { type, timestamp, data: { post_id: id, ...data } },
          details,
          by
        })
        const ann = { type: "user", id: "1", name: "Ann" }
        const onX = { platform: "twitter", error_code: "outcome_unknown", attempt: 2, retry_at: timestamp }
        const lines = yield* Effect.promise(async () => {
          await page.route("**/history?*", (route) =>
            route.fulfill({
              json: {
                data: [
                  entry("post.rejected", {}, { reason: "Too late" }, ann),
                  entry("post.rejected", {}, { reason: "Too early" }, ann),
                  entry("post.updated", {}, { changed: ["account"], account: "other", approval_renewed: true }),
                  entry(
                    "post.updated",
                    {},
                    { changed: ["account"], account: "Ada", platform: "linkedin", approval_renewed: true }
                  ),
                  entry("post.updated", {}, { changed: ["content", "tags"] }, ann),
                  entry("post.updated", {}, { changed: ["of_a_later_version"] }),
                  entry("post.updated", {}, { changed: ["of_a_later_version"] }, ann),
                  entry("post.target.failed", onX, null, ann),
                  entry("post.target.part_published", { ...onX, part: 2 }, { account: "acme" }, ann),
                  entry("post.target.part_published", { ...onX, part: 1 }, { account: "acme" }),
                  entry("post.target.published", onX, { account: "former" }),
                  entry("post.target.retried", onX, { account: "former", looked: true }),
                  entry("post.target.retried", { ...onX, error_code: "unavailable" }, null),
                  entry("post.target.retried", { ...onX, attempt: 0, error_code: "rate_limited" }, { waited: true })
                ],
                next_cursor: "more"
              }
            })
          )
          await page.goto(new URL(`/posts/${id}`, page.url()).href)
          const found = page.locator(".post-event-text")
          await found.first().waitFor()
          return found.allInnerTexts()
        })
        assert.deepStrictEqual(
          lines.map((line) => line.replace(/(Next \w+|Until) .*/, "$1")),
          [
            "Ann rejected it: Too late",
            "Ann rejected it: Too early",
            "Waits for approval for @other now, as the account was replaced",
            "Waits for approval for Ada now, as the account was replaced",
            "Ann changed the text and the tags",
            "Changed",
            "Ann changed it",
            "Ann marked it as not published on X",
            "Ann marked part 2 as published on X",
            "Published part 1 on X as @acme",
            "Published on X as @former",
            "Checked whether it is out on X: the platform did not say whether it is out. Next check",
            "Attempt 2 on X failed: the platform did not respond. Next attempt",
            "Waits for X’s limit, so that its thread is not cut off. Until"
          ]
        )
      })
    )
  })
})
