import type { Fault } from "../../src/sandbox/state/faults.ts"
import { makeFacebookWithTexts } from "../support/platforms/sentTexts.ts"
import type { Invariants } from "./invariants.ts"
import { makePlatformFaults } from "./platformFaults.ts"
import { lastingAccess, makePlatformServer, type PlatformRequest, type PlatformServer } from "./platformServer.ts"
import type { World } from "./world.ts"

const isCreation = ({ endpoint: { method, path } }: PlatformRequest) => method === "POST" && path.endsWith("/:id/feed")

/** A simulated Facebook. A post is made unseen, and a repeated request to publish it makes no second post. */
export const makeFacebookServer = (world: World, invariants: Invariants): PlatformServer => {
  const { standIn, textOf } = makeFacebookWithTexts()
  const drawFault = makePlatformFaults(world, { kind: "status", status: 400 })

  const drawOddity = (request: PlatformRequest): Fault | undefined => {
    if (isCreation(request)) {
      const hasPhotos = new URLSearchParams(request.read.body).has("attached_media")
      return hasPhotos && world.behavesOddly("photo forgotten") ? { kind: "forgotten_files" } : undefined
    }
    if (request.text !== null) {
      if (world.behavesOddly("error after publication"))
        return { kind: "status", status: 500, error: "unknown error", when: "after_commit" }
      return world.behavesOddly("post not found") ? { kind: "status", status: 400, error: "not visible" } : undefined
    }
    const isState = request.endpoint.method === "GET" && request.endpoint.path.endsWith("/:id")
    return isState && world.behavesOddly("post not found") ? { kind: "whims" } : undefined
  }

  const server = makePlatformServer(world, invariants, {
    name: "Facebook",
    standIn,
    textOf,
    lifetimes: lastingAccess,
    // A text is refused when its unpublished post is made.
    drawFault: (_, request) =>
      drawFault(isCreation(request) ? (new URLSearchParams(request.read.body).get("message") ?? "") : null) ??
      drawOddity(request),
    accessToken: (number) => `facebook-access-${number}`,
    respond: (request, read, state) => {
      const id = read.params["id"] ?? ""
      const accountId = server.accountOf(request.token)
      const isOut = accountId !== undefined && state.post("facebook", accountId, id) !== undefined
      if (request.text !== null && isOut) world.count("post published that is out")
      return request.endpoint.respond(read, state)
    }
  })

  return {
    ...server,
    onSend: (process, request) => {
      const accountId = server.accountOf(request.token)
      if (accountId !== undefined && request.text !== null) invariants.onSend(process, request, accountId, request.text)
    },
    onResponse: () => {}
  }
}
