import { assert, it } from "@effect/vitest"
import { isGoingOut, pollMillis } from "../../src/dashboard/pages/post/polling.ts"

it("A page watches a post that is published just now, also where its clock has not ticked since", () => {
  const tick = new Date("2026-11-22T10:00:00.000Z")
  const post = { status: "scheduled", scheduled_at: "2026-11-22T10:00:15.900Z" } as const
  assert.isTrue(isGoingOut(post, tick))
  assert.isFalse(isGoingOut({ ...post, scheduled_at: "2026-11-22T10:01:00.000Z" }, tick))
  assert.isFalse(isGoingOut({ ...post, status: "draft" }, tick))
  assert.isTrue(isGoingOut({ status: "publishing", scheduled_at: null }, tick))
})

it("A page that shows a post for an hour while it is tried again asks for it less than five times a minute", () => {
  let requests = 0
  for (let waited = 0; waited < 60 * 60_000; waited += pollMillis(waited)) requests += 1
  assert.isBelow(requests / 60, 5)
})
