import type { PlatformList } from "../../api/Platforms.ts"
import { query } from "./query.ts"

/** If a platform can't be connected, its entry includes the reason. */
export const platformList = query<typeof PlatformList.Encoded>("/v1/platforms")
