import type { Dictionary } from "./dictionary.ts"

/** What stands in many places. */
export const values: Dictionary = {
  Platform: {
    description:
      "A platform. Posts go out on twitter and bluesky; the others are in platform review and not enabled yet.",
    examples: { twitter: "twitter" }
  },
  LivePlatform: { description: "A platform that posts go out on.", examples: { bluesky: "bluesky" } },
  PostStatus: {
    description:
      "`draft` until it is scheduled, `scheduled` until its time, `publishing` while it is sent to its platforms, `published` " +
      "once it is out on all of them, `failed` once all have ended and any failed.",
    examples: { scheduled: "scheduled" }
  },
  TargetStatus: {
    description:
      "`pending` while it waits for the post's time or for another attempt, `publishing` during an attempt, then `published` or `failed`.",
    examples: { published: "published" }
  },
  Issue: {
    description: "One thing that is wrong with a request.",
    members: {
      path: "Where: names of members and positions in lists from the root of the body, or the name of a parameter.",
      message: "What was expected there."
    },
    examples: { platform: { path: ["platforms", 1], message: 'Expected "twitter" | "bluesky", got "myspace"' } }
  }
}
