import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { calendar, chipOn, dayCell, drag, tuesday, wednesday } from "./calendarPage.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { createPost, deletePost, getPost, makeAgentKey } from "./posts.ts"
import { both } from "./samples.ts"

/** An agent's draft that waits for approval. */
const ask = (content: string) =>
  Effect.flatMap(makeAgentKey, (agent) =>
    createPost(agent, { content, platforms: both, schedule_at: tuesday.toISOString() })
  )

describe.skipIf(!canRunBrowser)("A draft that waits for approval, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("It stays among the approvals when a person drags it to another day, and when they undo that", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* ask("Dragged while it waits")
        const page = yield* enter(calendar())
        const badge = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: /Approvals.*1/ })
        yield* Effect.promise(async () => {
          await drag(page, chipOn(page, tuesday, "Dragged while it waits"), dayCell(page, wednesday))
          await page.getByText(/^Moved to .* It still waits for approval\.$/).waitFor()
          await chipOn(page, wednesday, "Dragged while it waits").waitFor()
          await badge.waitFor()
          const answer = page.waitForResponse((response) => response.request().method() === "PATCH")
          await page.getByRole("button", { name: "Undo" }).click()
          await answer
          await chipOn(page, tuesday, "Dragged while it waits").waitFor()
          await page.goto(new URL("/approvals", page.url()).href)
          await page.getByRole("button", { name: "Approve", exact: true }).click()
          await page.getByRole("heading", { name: "Nothing waits for approval" }).waitFor()
        })
        assert.strictEqual((yield* getPost(key, id)).status, "scheduled")
        yield* deletePost(key, id)
      })
    )

    it.effect(
      "Its editor shows who asks and the actions of the approvals, and asks what a change of the text means",
      () =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          const id = yield* ask("As the agent wrote it")
          const page = yield* enter(`/compose?post=${id}`)
          const bar = page.locator(".compose-bar")
          const text = page.getByRole("textbox", { name: "Text" })
          const offered = yield* Effect.promise(async () => {
            await page.getByText(/^Release agent asks/).waitFor()
            await bar.getByRole("button", { name: "Approve" }).waitFor()
            return bar.getByRole("button").allInnerTexts()
          })
          assert.includeMembers(offered, ["Approve", "Another time", "Reject"])
          assert.notIncludeMembers(offered, ["Publish now", "Schedule", "Save draft"])
          assert.deepStrictEqual(yield* Effect.promise(() => findFaults(page)), [])

          yield* Effect.promise(async () => {
            await text.fill("As a person put it")
            await bar.getByRole("button", { name: "Save", exact: true }).click()
            const dialog = page.getByRole("dialog", { name: "It waits for approval" })
            await dialog.getByRole("button", { name: "Approve it like this" }).waitFor()
            await dialog.getByRole("button", { name: "Keep it waiting" }).click()
            await page.getByText("Saved. It still waits for approval.").waitFor()
            await page.goto(new URL("/approvals", page.url()).href)
            const card = page.getByRole("article", { name: "Post by Release agent" })
            await card.getByRole("region", { name: "Changed since the last request" }).waitFor()
            await card.getByText("As a person put it").first().waitFor()
            await card.getByRole("link", { name: "Edit" }).click()
            await text.fill("As both want it")
            await bar.getByRole("button", { name: "Approve it like this" }).click()
            await page.getByText(/^Approved for/).waitFor()
          })
          const { content, status } = yield* getPost(key, id)
          assert.deepStrictEqual([content, status], ["As both want it", "scheduled"])
          yield* deletePost(key, id)
        })
    )

    it.effect("Its editor approves it as it is, and rejects it with a reason", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const approved = yield* ask("Fine as it is")
        const page = yield* enter(`/compose?post=${approved}`)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Approve", exact: true }).click()
          await page.getByText(/^Approved for/).waitFor()
        })
        assert.strictEqual((yield* getPost(key, approved)).status, "scheduled")
        const rejected = yield* ask("Not like this")
        yield* Effect.promise(async () => {
          await page.goto(new URL(`/compose?post=${rejected}`, page.url()).href)
          await page.getByRole("button", { name: "Reject" }).click()
          await page.getByLabel("What has to change?").fill("The date")
          await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
          await page.getByText(/^Rejected by .*: The date/).waitFor()
        })
        yield* deletePost(key, approved)
        yield* deletePost(key, rejected)
      })
    )
  })
})
