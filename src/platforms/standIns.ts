import { Record } from "effect"
import type { LivePlatform } from "../domain/platform.ts"
import type { Connections } from "./Connection.ts"
import { live } from "./live.ts"
import type { Configured } from "./LiveParts.ts"

export const standIns = Record.map(live, ({ standIn }) => standIn)

/** The operator's settings may replace a stand-in, and the way to connect to it. */
export const platformsAt = (
  url: string,
  baseUrl: string,
  configured: Readonly<Partial<Record<LivePlatform, Pick<Configured, "connectStandIn" | "standIn">>>> = {}
): Connections =>
  Record.map(live, (usual, platform) => {
    const connectStandIn = configured[platform]?.connectStandIn ?? usual.connectStandIn
    return connectStandIn(url, `${baseUrl}/sandbox/${platform}`)
  })
