import { statusOf } from "../../src/platforms/meta/standIn/containers.ts"
import type { Fault } from "../../src/sandbox/state/faults.ts"
import { makeThreadsWithTexts } from "../support/platforms/sentTexts.ts"
import type { Invariants } from "./invariants.ts"
import { makePlatformFaults } from "./platformFaults.ts"
import { makePlatformServer, type PlatformRequest, type PlatformServer } from "./platformServer.ts"
import { hour, second, type World } from "./world.ts"

/** The text that a request would put into a container. */
const textToMake = ({ endpoint: { method, path }, read: { body } }: PlatformRequest): string | null =>
  method === "POST" && path.endsWith("/me/threads") ? (new URLSearchParams(body).get("text") ?? "") : null

/**
 * A simulated Threads. A container that was published must never be asked for again: this Threads would publish it a
 * second time.
 */
export const makeThreadsServer = (world: World, invariants: Invariants): PlatformServer => {
  const { platforms } = world
  const { containerOf, standIn, textOf } = makeThreadsWithTexts()
  const drawFault = makePlatformFaults(world, { kind: "status", status: 400 })
  let made = 0

  const drawOddity = (request: PlatformRequest): Fault | undefined => {
    const { call } = request.endpoint
    if (call === "timeline" && world.behavesOddly("list late"))
      return { kind: "lag", ms: platforms.between(5 * second, platforms.chance(0.8) ? 900 * second : 6 * hour) }
    if (textToMake(request) !== null) {
      if (world.behavesOddly("container slow")) {
        // Some are processed for longer than Threads keeps a container.
        return {
          kind: "processing",
          ms: platforms.chance(0.1) ? 30 * hour : platforms.between(5 * second, 1200 * second)
        }
      }
      return world.behavesOddly("container fails") ? { kind: "processing", error: "UNKNOWN" } : undefined
    }
    if (request.text !== null && world.behavesOddly("error after publication"))
      return { kind: "status", status: 500, when: "after_commit" }
    const isRead = call === "upload" || request.text !== null
    return isRead && world.behavesOddly("container not found") ? { kind: "whims" } : undefined
  }

  const server = makePlatformServer(world, invariants, {
    name: "Threads",
    standIn,
    textOf,
    lifetimes: undefined,
    // Threads refuses a text when its container is made.
    drawFault: (_, request) => drawFault(textToMake(request)) ?? drawOddity(request),
    accessToken: (number) => `threads-access-${number}`,
    fresh: () => ({ access: `made-${++made}`, refresh: `made-${made}`, family: "" }),
    shows: () => {
      const hidden = world.behavesOddly("post unseen by replies") ? platforms.between(second, 40 * second) : 0
      return { repliesFrom: world.now() + hidden }
    },
    onPost: ({ record, text }) => {
      const container = containerOf(record?.cid ?? "")
      if (container === undefined || container.published > 1) {
        world.violate(`the container of “${text}” was published ${container?.published} times`)
      }
    }
  })

  return {
    ...server,
    onSend: (process, request) => {
      const accountId = server.accountOf(request.token)
      if (accountId === undefined || request.text === null) return
      const container = containerOf(new URLSearchParams(request.read.body).get("creation_id") ?? "")
      const status = container === undefined ? "unknown" : statusOf(container, world.now())
      if (status === "PUBLISHED") world.violate(`${process.name} publishes a container again: “${request.text}”`)
      invariants.onSend(process, request, accountId, request.text)
    },
    onResponse: () => {}
  }
}
