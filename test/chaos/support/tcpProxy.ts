import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"
import { listenLocally } from "./listenLocally.ts"

/**
 * The kinds of unreachable servers. `refused`: as if no server listens. `silent`: as if the server is frozen and
 * resumes later. `vanished`: as in a network partition after which open connections never deliver anything again.
 */
export type DisconnectMode = "refused" | "silent" | "vanished"

/** A TCP proxy in front of a server on this machine. It makes the server unreachable on demand. */
export const tcpProxy = Effect.fn("tcpProxy")(function* (target: { readonly host: string; readonly port: number }) {
  let disconnected: DisconnectMode | undefined
  const open = new Set<Socket>()
  const servers = new Set<Socket>()

  const server = createServer((near) => {
    if (disconnected === "refused") return near.destroy()
    const far = connect(target)
    servers.add(far.on("close", () => servers.delete(far)))
    for (const [from, to] of [
      [near, far],
      [far, near]
    ] as const) {
      open.add(from)
      from.on("data", (chunk) => to.write(chunk))
      from.on("error", () => to.destroy())
      from.on("close", () => {
        open.delete(from)
        to.destroy()
      })
      if (disconnected !== undefined) from.pause()
    }
    return undefined
  })
  const port = yield* listenLocally(server, open)
  return {
    port,
    /** From this moment, open connections forward requests and drop the responses. */
    loseResponses: Effect.sync(() => {
      for (const server of servers) server.pause()
    }),
    disconnect: (mode: DisconnectMode) =>
      Effect.sync(() => {
        disconnected = mode
        for (const socket of open) {
          if (mode === "refused") socket.destroy()
          else socket.pause()
        }
      }),
    reconnect: Effect.sync(() => {
      for (const socket of open) {
        if (disconnected === "silent") socket.resume()
      }
      disconnected = undefined
    })
  }
})
