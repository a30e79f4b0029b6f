import type { PlatformList } from "../../api/Platforms.ts"
import { query } from "./query.ts"

/** All platforms, with the reason why no account can be connected on some. */
export const platformList = query<typeof PlatformList.Encoded>("/v1/platforms")
