import type { LivePlatform } from "../../domain/platform.ts"
import { isAlwaysLive, livePlatforms } from "../../domain/plain/platforms.ts"
import { platformList } from "../api/platforms.ts"
import { useQuery } from "../api/query.ts"

/** The platforms that posts can go to. Until the service has answered, those of every service. */
export const useEnabledPlatforms = (): ReadonlyArray<LivePlatform> => {
  const { data } = useQuery(platformList)
  return livePlatforms.filter(
    (platform) =>
      isAlwaysLive(platform) ||
      data?.data.some((each) => each.platform === platform && each.state === "enabled") === true
  )
}
