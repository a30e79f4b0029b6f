import type { MediaFacts } from "../../../domain/media/media.ts"

/**
 * A video that is higher than wide is published as a reel, and every other one as a video of the Page. Facebook keeps
 * an upright video that is no reel as a draft.
 */
export const isReel = ({ height, type, width }: Pick<MediaFacts, "height" | "type" | "width">): boolean =>
  type === "video" && height > width
