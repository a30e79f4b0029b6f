import { Effect } from "effect"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/**
 * How a server becomes unreachable: `refused` as where none listens, `silent` as where it is frozen and resumes later,
 * `vanished` as in a network partition that open connections do not survive: they stay silent for ever.
 */
export type Absence = "refused" | "silent" | "vanished"

/** A TCP proxy before a server on this machine, which makes the server unreachable on demand. */
export const tcpProxy = Effect.fn("tcpProxy")(function* (target: { readonly host: string; readonly port: number }) {
  let absence: Absence | undefined
  const open = new Set<Socket>()

  const server = createServer((near) => {
    if (absence === "refused") return near.destroy()
    const far = connect(target)
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
      if (absence !== undefined) from.pause()
    }
    return undefined
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () =>
      Effect.sync(() => {
        server.close()
        for (const socket of open) socket.destroy()
      })
  )
  const address = server.address()
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    away: (how: Absence) =>
      Effect.sync(() => {
        absence = how
        for (const socket of open) {
          if (how === "refused") socket.destroy()
          else socket.pause()
        }
      }),
    back: Effect.sync(() => {
      for (const socket of open) {
        if (absence === "silent") socket.resume()
      }
      absence = undefined
    })
  }
})
