import { Schema } from "effect"
import { linkedinStandIn } from "../../src/platforms/linkedin/standIn/standIn.ts"
import type { Invariants } from "./invariants.ts"
import { drawLag, makePlatformFaults } from "./platformFaults.ts"
import { lastingAccess, makePlatformServer, type PlatformServer } from "./platformServer.ts"
import type { World } from "./world.ts"

const isList = Schema.is(Schema.Struct({ elements: Schema.Array(Schema.Struct({ id: Schema.String })) }))

/** A simulated LinkedIn: it refuses a repeated text for ten minutes, and nobody can read a member's posts. */
export const makeLinkedinServer = (world: World, invariants: Invariants): PlatformServer => {
  const { platforms } = world
  const drawFault = makePlatformFaults(world, { kind: "status", status: 400 })
  const server = makePlatformServer(world, invariants, {
    name: "LinkedIn",
    standIn: linkedinStandIn,
    lifetimes: lastingAccess,
    drawFault: (text) =>
      drawFault(text) ??
      (text !== null && world.behavesOddly("error after publication")
        ? { kind: "status", status: 500, when: "after_commit" }
        : undefined),
    accessToken: (number) => `linkedin-access-${number}`,
    shows: () => {
      const lag = world.behavesOddly("list late") ? drawLag(world) : platforms.between(0, 4000)
      return { shownFrom: world.now() + lag }
    }
  })
  return {
    ...server,
    onSend: (process, request) => {
      const accountId = server.accountOf(request.token)
      if (accountId === undefined) return
      if (request.text !== null) invariants.onSend(process, request, accountId, request.text)
      else if (request.endpoint.call === "timeline") invariants.onTimelineRequest(process, accountId)
    },
    onResponse: (process, request, { body, status }) => {
      const accountId = server.accountOf(request.token)
      if (accountId === undefined || request.endpoint.call !== "timeline" || status !== 200 || !isList(body)) return
      const texts = body.elements.flatMap(({ id }) => server.state.post("linkedin", accountId, id)?.text ?? [])
      invariants.onTimeline(process, accountId, texts)
    }
  }
}
