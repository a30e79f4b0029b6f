import { alwaysLive, livePlatforms } from "../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { platformList } from "../api/platforms.ts"
import { useQuery } from "../api/query.ts"

/** The platforms to which this service publishes. Those that are live everywhere until it has answered. */
export const useEnabled = (): ReadonlyArray<LivePlatform> => {
  const { data } = useQuery(platformList)
  const inReview = data?.data.flatMap(({ platform, state }) => (state === "in_review" ? [platform] : []))
  return inReview === undefined ? alwaysLive : livePlatforms.filter((platform) => !inReview.includes(platform))
}
