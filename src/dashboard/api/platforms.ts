import type { PlatformList } from "../../api/Platforms.ts"
import { query } from "./query.ts"

/** A platform that can't be connected has the reason in its entry. */
export const platformList = query<typeof PlatformList.Encoded>("/v1/platforms")
