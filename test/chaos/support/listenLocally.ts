import { Effect } from "effect"
import { once } from "node:events"
import type { Server, Socket } from "node:net"

/**
 * Lets a server listen on this machine until the scope closes, which also closes its open sockets. Returns the port.
 */
export const listenLocally = Effect.fn("listenLocally")(function* (server: Server, open: ReadonlySet<Socket>) {
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () =>
      Effect.sync(() => {
        server.close()
        for (const socket of open) socket.destroy()
      })
  )
  const address = server.address()
  return typeof address === "object" ? (address?.port ?? 0) : 0
})
