import type { StandIn } from "../../src/sandbox/StandIn.ts"
import type { Invariants } from "./invariants.ts"
import { makePlatformServer, type PlatformServer } from "./platformServer.ts"
import type { World } from "./world.ts"

/** A platform on which no workspace has an account. */
export const makeUnusedServer = (world: World, invariants: Invariants, standIn: StandIn): PlatformServer => ({
  ...makePlatformServer(world, invariants, {
    name: standIn.platform,
    standIn,
    lifetimes: undefined,
    drawFault: () => undefined,
    accessToken: (number) => `${standIn.platform}-access-${number}`
  }),
  onSend: () => undefined,
  onResponse: () => undefined
})
