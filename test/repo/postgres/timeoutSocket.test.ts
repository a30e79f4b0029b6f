import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { createServer } from "node:net"
import { TimeoutSocket } from "../../../src/repo/postgres/timeoutSocket.ts"
import { listenLocally } from "../../chaos/support/listenLocally.ts"

const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length

describe("a connection that is closed", () => {
  it.live("It awaits no further response, so that nothing keeps the process from ending", () =>
    Effect.gen(function* () {
      const port = yield* listenLocally(createServer(), new Set())
      const socket = new TimeoutSocket(new URL(`postgres://127.0.0.1:${port}`), Duration.minutes(1))
      socket.destroy()
      const before = countTimers()
      socket.awaitMore(true)
      assert.strictEqual(countTimers(), before)
    })
  )
})
