import { statusOf } from "../../src/platforms/meta/standIn/containers.ts"
import { fetchedIn, publishedIn } from "../../src/platforms/meta/standIn/endpoints.ts"
import type { Fault } from "../../src/sandbox/state/faults.ts"
import {
  type ContainersWithTexts,
  makeInstagramWithTexts,
  makeThreadsWithTexts
} from "../support/platforms/sentTexts.ts"
import type { Invariants } from "./invariants.ts"
import { drawDelay, makePlatformFaults } from "./platformFaults.ts"
import { lastingAccess, makePlatformServer, type PlatformRequest, type PlatformServer } from "./platformServer.ts"
import { hour, second, type World } from "./world.ts"

interface ContainerPlatform {
  readonly name: string
  readonly withTexts: ContainersWithTexts
  /** The last part of the path of a request for a container. */
  readonly creation: string
  /** The member of the form that has the text. */
  readonly textMember: string
  /** Errors with which posts were out. */
  readonly afterPublication: readonly [Fault, ...ReadonlyArray<Fault>]
}

/** A file is not fetched, one of six times. */
const notFetched: Fault = { kind: "status", status: 400, error: "not fetched" }

/**
 * A simulated platform that publishes containers. A container that was published must never be asked for again: this
 * platform would publish it a second time.
 */
const makeContainerServer = (
  world: World,
  invariants: Invariants,
  { afterPublication, creation, name, textMember, withTexts }: ContainerPlatform
): PlatformServer => {
  const { platforms } = world
  const { containerOf, standIn, textOf } = withTexts
  const drawFault = makePlatformFaults(world, { kind: "status", status: 400 })

  const formToMake = ({ endpoint: { method, path }, read: { body } }: PlatformRequest): URLSearchParams | undefined =>
    method === "POST" && path.endsWith(creation) ? new URLSearchParams(body) : undefined

  /** The text that a request would put into a container. Items of a carousel have none. */
  const textToMake = (request: PlatformRequest): string | null => {
    const form = formToMake(request)
    return form === undefined || form.has("is_carousel_item") ? null : (form.get(textMember) ?? "")
  }

  const drawOddity = (request: PlatformRequest): Fault | undefined => {
    if (request.endpoint.call === "timeline")
      return world.behavesOddly("list late") ? { kind: "lag", ms: drawDelay(platforms) } : undefined
    if (formToMake(request) !== undefined) {
      if (fetchedIn(request.read.body).length > 0 && world.behavesOddly("file not fetched")) return notFetched
      if (world.behavesOddly("container slow")) {
        // Some are processed for longer than the platform keeps a container.
        return {
          kind: "processing",
          ms: platforms.chance(0.1) ? 30 * hour : platforms.between(5 * second, 1200 * second)
        }
      }
      return world.behavesOddly("container fails") ? { kind: "processing", error: "UNKNOWN" } : undefined
    }
    if (request.text !== null && world.behavesOddly("error after publication")) return platforms.pick(afterPublication)
    const isRead = request.endpoint.call === "upload" || request.text !== null
    return isRead && world.behavesOddly("container not found") ? { kind: "whims" } : undefined
  }

  const server = makePlatformServer(world, invariants, {
    name,
    standIn,
    textOf,
    lifetimes: lastingAccess,
    // A text is refused when its container is made.
    drawFault: (_, request) => drawFault(textToMake(request)) ?? drawOddity(request),
    accessToken: (number) => `${standIn.platform}-access-${number}`,
    // Instagram's error for a container that is too new depends on the first letter.
    drawPrefix: () => (platforms.chance(0.5) ? "a-" : "z-"),
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
      const container = containerOf(publishedIn(request.read.body))
      const status = container === undefined ? "unknown" : statusOf(container, world.now())
      if (status === "PUBLISHED") world.violate(`${process.name} publishes a container again: “${request.text}”`)
      invariants.onSend(process, request, accountId, request.text)
    },
    onResponse: () => {}
  }
}

const after = (status: number, error: string): Fault => ({ kind: "status", status, error, when: "after_commit" })

export const makeThreadsServer = (world: World, invariants: Invariants): PlatformServer =>
  makeContainerServer(world, invariants, {
    name: "Threads",
    withTexts: makeThreadsWithTexts(),
    creation: "/me/threads",
    textMember: "text",
    afterPublication: [after(500, "no permission")]
  })

export const makeInstagramServer = (world: World, invariants: Invariants): PlatformServer =>
  makeContainerServer(world, invariants, {
    name: "Instagram",
    withTexts: makeInstagramWithTexts(),
    creation: "/:account/media",
    textMember: "caption",
    afterPublication: [after(400, "restricted"), after(500, "unknown error")]
  })
