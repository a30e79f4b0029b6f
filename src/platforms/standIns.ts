import { Record } from "effect"
import type { Connections } from "./Connection.ts"
import { live } from "./live.ts"

export const standIns = Record.map(live, ({ standIn }) => standIn)

export const platformsAt = (url: string, baseUrl: string): Connections =>
  Record.map(live, ({ connectStandIn }, platform) => connectStandIn(url, `${baseUrl}/sandbox/${platform}`))
