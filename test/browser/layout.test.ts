import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import sharp from "sharp"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { makeList } from "./postsApi.ts"

const files = [
  { id: "1", width: 640, height: 360 },
  { id: "2", width: 300, height: 600 },
  { id: "3", width: 800, height: 200 }
] as const

/** A post that waits for approval, with wide and tall pictures. */
const pictured = makeList(1, new Date(Date.now() + 24 * 60 * 60_000)).flatMap((post) => [
  {
    ...post,
    status: "draft",
    // The texts differ, so that the previews are not shown as one.
    platform_overrides: { bluesky: "Worded for Bluesky" },
    media: files.map((file) => ({ ...file, type: "image", alt: "A color" })),
    approval: {
      status: "requested",
      revision: 1,
      outdated: false,
      requested_at: post.created_at,
      decided_at: null,
      decided_by: null,
      reason: null,
      requested: null
    },
    post_targets: post.post_targets.flatMap((target) => [
      target,
      { ...target, integrations: { platform: "bluesky" }, account_id: "2" }
    ])
  }
])

describe.skipIf(!canRunBrowser)("The layout of pages, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect.each([
      [1440, 900],
      [720, 450],
      [390, 740]
    ] as const)("Save stays in view beneath the bar of a lost connection, at %i × %i px", ([width, height]) =>
      Effect.gen(function* () {
        const page = yield* enter("/compose", { width, height, touch: width < 720 })
        yield* Effect.promise(async () => {
          const save = page.getByRole("button", { name: "Save draft" })
          await save.waitFor()
          await page.context().setOffline(true)
          await page.locator("textarea").first().fill("Kept while nobody can be reached")
          await page.getByText("The service can’t be reached").waitFor()
          const box = await save.boundingBox()
          const bottom = (box?.y ?? Infinity) + (box?.height ?? 0)
          const below = await page.getByRole("navigation", { name: "Pages" }).boundingBox()
          assert.isAtMost(bottom, width < 720 ? (below?.y ?? 0) : height)
        })
      })
    )

    it.effect("Previews of an approval stand side by side, and the rows of three pictures are equal", () =>
      Effect.gen(function* () {
        const page = yield* enter("/notifications")
        yield* Effect.promise(async () => {
          await page.route("**/v1/posts?approval=requested*", (route) =>
            route.fulfill({ json: { data: pictured, next_cursor: null } })
          )
          for (const { height, id, width } of files) {
            const body = await sharp({ create: { width, height, channels: 3, background: "#3a86ff" } })
              .png()
              .toBuffer()
            await page.route(`**/v1/media/${id}/thumbnail`, (route) =>
              route.fulfill({ body, contentType: "image/png" })
            )
          }
          await page.goto(new URL("/approvals", page.url()).href)
          const previews = page.locator(".preview")
          await previews.nth(1).waitFor()
          const [left, right] = [await previews.nth(0).boundingBox(), await previews.nth(1).boundingBox()]
          assert.strictEqual(left?.y, right?.y)
          await page.evaluate(
            "Promise.all(Array.from(document.querySelectorAll('.preview-medium > img'), (img) => img.decode()))"
          )
          const pictures = previews.first().locator(".preview-medium")
          const second = await pictures.nth(1).boundingBox()
          const third = await pictures.nth(2).boundingBox()
          assert.approximately(second?.height ?? 0, third?.height ?? 1, 1)
        })
      })
    )
  })
})
