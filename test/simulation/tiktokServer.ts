import type { Fault } from "../../src/sandbox/state/faults.ts"
import { makeTiktokWithTexts } from "../support/platforms/sentTexts.ts"
import type { Invariants } from "./invariants.ts"
import { makePlatformFaults } from "./platformFaults.ts"
import { lastingAccess, makePlatformServer, type PlatformRequest, type PlatformServer } from "./platformServer.ts"
import { hour, second, type World } from "./world.ts"

const isBeginning = ({ endpoint: { call } }: PlatformRequest) => call === "upload"

/** The text with which an upload begins. */
const titleIn = ({ read: { body } }: PlatformRequest): string => {
  const { post_info }: { readonly post_info?: { readonly title?: string } } = JSON.parse(body)
  return post_info?.title ?? ""
}

/** A simulated TikTok. A video is published with its upload's last bytes, and processed for a while. */
export const makeTiktokServer = (world: World, invariants: Invariants): PlatformServer => {
  const { platforms } = world
  const { standIn, textOf, uploadOf } = makeTiktokWithTexts()
  const drawFault = makePlatformFaults(world, { kind: "status", status: 400 })
  const uploadIn = ({ read: { params } }: PlatformRequest) => uploadOf(params["key"] ?? "")

  const drawOddity = (request: PlatformRequest): Fault | undefined => {
    if (request.text === null) return undefined
    if (world.behavesOddly("container slow")) {
      return {
        kind: "processing",
        ms: platforms.between(5 * second, platforms.chance(0.1) ? 20 * hour : 1200 * second)
      }
    }
    if (world.behavesOddly("container fails")) return { kind: "processing", error: "internal" }
    return world.behavesOddly("list late") ? { kind: "lag", ms: platforms.between(second, 600 * second) } : undefined
  }

  const server = makePlatformServer(world, invariants, {
    name: "TikTok",
    standIn,
    textOf,
    lifetimes: lastingAccess,
    // A text is refused when its upload begins.
    drawFault: (_, request) => drawFault(isBeginning(request) ? titleIn(request) : null) ?? drawOddity(request),
    accessToken: (number) => `tiktok-access-${number}`,
    respond: (request, read, state) => {
      if (request.text !== null && uploadIn(request)?.sent !== undefined) world.count("post published that is out")
      return request.endpoint.respond(read, state)
    }
  })

  return {
    ...server,
    // The address of an upload takes no token, so that the upload tells whose it is.
    onSend: (process, request) => {
      const upload = uploadIn(request)
      if (upload !== undefined && request.text !== null) {
        invariants.onSend(process, request, upload.account.id, request.text)
      }
    },
    onResponse: () => {}
  }
}
