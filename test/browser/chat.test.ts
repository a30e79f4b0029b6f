import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "../../src/repo/postgres/database.ts"
import { makeChatReceiver } from "../chat/chatReceiver.ts"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"

/** Mattermost has also asked for a pause. */
const addSentMessage = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    WITH paused AS (UPDATE channels SET held_until = now() + interval '6 hours')
    INSERT INTO notification_deliveries (id, workspace_id, kind, channel_id, type, notification_ids, count, status, due_at,
      created_at, ended_at)
    SELECT gen_random_uuid(), workspace_id, kind, id, 'post.failed', '{}', 1, 'sent', now(), now(), now() FROM channels`
)

describe.skipIf(!canRunBrowser)("The channels of chat programs, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("An admin adds a channel, tests it, edits its types, and deletes it", () =>
      Effect.gen(function* () {
        const { origin, received } = yield* makeChatReceiver()
        const page = yield* enter("/settings/chat")
        const faults = yield* Effect.promise(async () => {
          await page.getByText("No channels").waitFor()
          const atFirst = await findFaults(page)
          await page.getByRole("button", { name: "New channel" }).click()
          const atForm = await findFaults(page)
          await page.getByLabel("Chat program").selectOption("Mattermost")
          await page.getByLabel("Name", { exact: true }).fill("#social")
          await page.getByLabel("URL of the incoming webhook").fill("https://hooks.slack.com/services/a")
          await page.getByRole("button", { name: "Add", exact: true }).click()
          await page.getByText("This is not the URL of an incoming webhook of Mattermost").waitFor()
          await page.getByLabel("URL of the incoming webhook").fill(`${origin}/hooks/canarysecret`)
          await page.getByRole("button", { name: "Add", exact: true }).click()
          await page.getByText("Channel added").waitFor()
          await page.locator(".settings-row").getByText("Enabled").waitFor()
          await page.getByRole("button", { name: "Actions for #social" }).click()
          await page.getByRole("menuitem", { name: "Send a test" }).click()
          await page.getByText("Test sent to #social").waitFor()
          return [...atFirst, ...atForm, ...(await findFaults(page))]
        })
        assert.deepStrictEqual(faults, [])
        const { body, path } = yield* Queue.take(received)
        assert.strictEqual(path, "/hooks/canarysecret")
        assert.include(body, "This channel works")
        const { database } = yield* Dashboard
        yield* addSentMessage.pipe(Effect.provide(databaseLayer(database)))
        const [words, logFaults] = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Actions for #social" }).click()
          await page.getByRole("menuitem", { name: "Edit" }).click()
          await page.getByRole("checkbox", { name: "Posts that were published" }).check()
          await page.getByRole("checkbox", { name: "Posts that failed" }).uncheck()
          await page.getByRole("button", { name: "Save" }).click()
          await page.getByText("Channel saved").waitFor()
          const row = page.locator(".settings-row").filter({ hasText: "#social" })
          await row.getByText("Mattermost takes no messages until").waitFor()
          await row.getByText("Posts that were published").waitFor()
          const shown = await row.innerText()
          await page.getByRole("button", { name: "Messages of #social" }).click()
          await page.getByRole("button", { name: "Send again to #social: Posts that failed" }).waitFor()
          const found = await findFaults(page)
          await page.keyboard.press("Escape")
          await page.getByRole("button", { name: "Actions for #social" }).click()
          await page.getByRole("menuitem", { name: "Delete", exact: true }).click()
          await page.getByRole("button", { name: "Delete", exact: true }).click()
          await page.getByText("No channels").waitFor()
          return [shown, found] as const
        })
        assert.deepStrictEqual(logFaults, [])
        assert.notInclude(words, "Posts that failed")
        assert.notInclude(words, "canarysecret")
      })
    )
  })
})
