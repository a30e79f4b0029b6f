import { assert, it } from "@effect/vitest"
import { pollMillis } from "../../src/dashboard/pages/post/polling.ts"

it("A page that shows a post for an hour while it is tried again asks for it less than five times a minute", () => {
  let requests = 0
  for (let waited = 0; waited < 60 * 60_000; waited += pollMillis(waited)) requests += 1
  assert.isBelow(requests / 60, 5)
})
