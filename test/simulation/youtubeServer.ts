import type { Fault } from "../../src/sandbox/state/faults.ts"
import { youtubeStandIn } from "../../src/platforms/youtube/standIn/standIn.ts"
import type { Invariants } from "./invariants.ts"
import { makePlatformFaults } from "./platformFaults.ts"
import { lastingAccess, makePlatformServer, type PlatformRequest, type PlatformServer } from "./platformServer.ts"
import type { World } from "./world.ts"

const isUploading = ({ endpoint: { method, path } }: PlatformRequest) => method === "PUT" && path.includes("/upload/")

/** A simulated YouTube. A video is uploaded unseen, and a repeated request to publish it makes no second video. */
export const makeYoutubeServer = (world: World, invariants: Invariants): PlatformServer => {
  const drawFault = makePlatformFaults(world, { kind: "status", status: 400, error: "invalidTitle" })

  const drawOddity = (request: PlatformRequest): Fault | undefined => {
    if (request.text !== null) {
      return world.behavesOddly("error after publication")
        ? { kind: "status", status: 500, when: "after_commit" }
        : undefined
    }
    if (isUploading(request)) {
      if (world.behavesOddly("upload ended")) return { kind: "forgotten_files" }
      return world.behavesOddly("upload unfinished") ? { kind: "whims" } : undefined
    }
    const isState = request.endpoint.method === "GET" && request.endpoint.path.endsWith("/videos")
    return isState && world.behavesOddly("post not found") ? { kind: "status", status: 404 } : undefined
  }

  const server = makePlatformServer(world, invariants, {
    name: "YouTube",
    standIn: youtubeStandIn,
    lifetimes: lastingAccess,
    drawFault: (text, request) => drawFault(text) ?? drawOddity(request),
    accessToken: (number) => `youtube-access-${number}`,
    respond: (request, read, state) => {
      const accountId = server.accountOf(request.token)
      const id = /"id":"([\w-]{11})"/.exec(read.body)?.[1] ?? ""
      const isOut = accountId !== undefined && state.post("youtube", accountId, id) !== undefined
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
