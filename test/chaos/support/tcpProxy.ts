import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"
import { listenLocally } from "./listenLocally.ts"

/**
 * How a server becomes unreachable: `refused` as if none listens, `silent` as if it is frozen and resumes later,
 * `vanished` as in a network partition that open connections do not survive: they never deliver anything again.
 */
export type DisconnectMode = "refused" | "silent" | "vanished"

/** A TCP proxy before a server on this machine, which makes the server unreachable on demand. */
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
    /** From now on open connections carry requests and lose the responses. */
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
