import type { PlatformList } from "../../api/Platforms.ts"
import { query } from "./query.ts"

/** Includes why no account can be connected on a platform. */
export const platformList = query<typeof PlatformList.Encoded>("/v1/platforms")
