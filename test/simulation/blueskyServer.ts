import { Schema } from "effect"
import { blueskyStandIn } from "../../src/platforms/bluesky/standIn/standIn.ts"
import type { SandboxPost } from "../../src/sandbox/state/entry.ts"
import type { State } from "../../src/sandbox/state/state.ts"
import type { AccessLifetimes } from "./accessLifetimes.ts"
import type { Invariants } from "./invariants.ts"
import { makePlatformFaults } from "./platformFaults.ts"
import { makePlatformServer, type PlatformServer } from "./platformServer.ts"
import { idInUrl } from "./threads.ts"
import type { World } from "./world.ts"

/** Times are in milliseconds. */
const jwtOf = (givenAt: number, says: number, id: number) => {
  const iat = Math.floor(givenAt / 1000)
  return `jwt.${Buffer.from(JSON.stringify({ iat, exp: iat + says / 1000 })).toString("base64url")}.${id}`
}

const Reference = Schema.Struct({ uri: Schema.String, cid: Schema.String })
const isReply = Schema.is(Schema.Struct({ reply: Schema.Struct({ root: Reference, parent: Reference }) }))

/** A simulated Bluesky PDS. Publishing is idempotent, because a put creates a record only if its key is free. */
export const makeBlueskyServer = (
  world: World,
  invariants: Invariants,
  lifetimes: AccessLifetimes | undefined
): PlatformServer => {
  /** A PDS does not check that the records named in a reply exist. */
  const checkReply = ({ accountId, record }: SandboxPost, state: State) => {
    const value = record?.value
    if (!isReply(value)) return
    for (const { cid, uri } of [value.reply.parent, value.reply.root]) {
      if (state.post("bluesky", accountId, idInUrl(uri))?.record?.cid !== cid)
        world.violate(`a record of ${accountId} replies to ${uri}, which is not there as ${cid}`)
    }
  }

  const server = makePlatformServer(world, invariants, {
    name: "Bluesky",
    standIn: blueskyStandIn,
    lifetimes,
    drawFault: makePlatformFaults(world, { kind: "status", status: 400 }),
    accessToken: (number, says) => (says === undefined ? `session-${number}` : jwtOf(world.now(), says, number)),
    onPost: checkReply
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
