import { platformName } from "../../domain/plain/platforms.ts"
import type { PostJson } from "../api/postStatus.ts"

/** Milliseconds. Ordinary retries take less. */
const tolerance = 10 * 60_000

export interface SentLater {
  readonly platform: string
  readonly at: string
}

/** The platforms on which a post went out well after its planned time, such as those where it first failed. */
export const sentLater = ({ post_targets, scheduled_at: planned }: Pick<PostJson, "post_targets" | "scheduled_at">) =>
  post_targets.flatMap(({ integrations, published_at: at }): ReadonlyArray<SentLater> =>
    planned !== null && at !== null && Date.parse(at) - Date.parse(planned) > tolerance
      ? [{ platform: platformName(integrations.platform), at }]
      : []
  )
