import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ServerUrl } from "../support/http/server.ts"
import { makeKey, makeTeam } from "../support/http/team.ts"
import { agentServerLayer, callTool } from "./agent.ts"

const text = { content: "Hello", platforms: ["bluesky"] }
const schedule_at = "1970-01-02T00:00:00Z"
const heldSince = "1969-12-31T12:00:00.000Z"
const nothingGoesOut = "Publishing is on hold after a restore, so nothing goes out until an administrator resumes it."

layer(agentServerLayer())("publishing that is held after a restore", (it) => {
  it.effect("While publishing is held posts are created, and whatever would go out is told not to", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const sql = yield* SqlClient.SqlClient
      const { key, workspaceId } = yield* makeTeam
      const drafting = (yield* makeKey(workspaceId, { requiresApproval: true })).key
      const writing = (yield* makeKey(workspaceId, { scopes: ["posts:write"] })).key
      const call = (name: string, args: object = {}, caller = key) =>
        Effect.map(callTool(url, caller, name, args), ({ data, isError }) => {
          assert.isFalse(isError, JSON.stringify(data))
          return data
        })
      assert.isNull((yield* call("get_workspace")).held_since)
      yield* sql`INSERT INTO publishing_state (held_since) VALUES (${heldSince}::timestamptz)`
      assert.strictEqual((yield* call("get_workspace")).held_since, heldSince)

      const scheduled = yield* call("create_post", { ...text, schedule_at })
      assert.deepInclude(scheduled, {
        status: "scheduled",
        message: `Scheduled: it goes out at its time. ${nothingGoesOut}`
      })
      const waiting = yield* call("create_post", { ...text, schedule_at }, drafting)
      assert.strictEqual(waiting.next, "waits_for_approval")
      assert.include(waiting.message, nothingGoesOut)
      const asked = yield* call("update_post", { id: waiting.id, etag: waiting.etag, status: "scheduled" }, drafting)
      assert.include(asked.message, nothingGoesOut)
      // No scope is needed to be told.
      assert.include((yield* call("create_post", { ...text, schedule_at }, writing)).message, nothingGoesOut)
      const draft = yield* call("create_post", text)
      assert.notInclude(draft.message, nothingGoesOut)

      const { id } = draft
      const changed = yield* call("update_post", { id, etag: "1-draft", content: "Changed" })
      assert.notInclude(changed.message, nothingGoesOut)
      const timed = yield* call("update_post", { id, etag: "2-draft", status: "scheduled", scheduled_at: schedule_at })
      assert.include(timed.message, nothingGoesOut)
      const due = yield* call("publish_post", { id, etag: timed.etag })
      assert.include(due.message, nothingGoesOut)
      assert.include(
        yield* call("create_post", { ...text, schedule_at }).pipe(Effect.map(({ message }) => message)),
        nothingGoesOut
      )

      yield* sql`DELETE FROM publishing_state`
      assert.isNull((yield* call("get_workspace")).held_since)
      const again = yield* call("create_post", { ...text, schedule_at })
      assert.isTrue(again.replayed)
      assert.notInclude(again.message, nothingGoesOut)
    })
  )
})
