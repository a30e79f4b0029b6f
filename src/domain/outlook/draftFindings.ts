import type { DuePost } from "./duePost.ts"
import type { Finding } from "./finding.ts"

const aboutPost = { level: "needs_you", platform: null, integration_id: null } as const

/** A draft is not sent, whatever its time is. A rejected one is not meant to be. */
export const findDraftFaults = ({
  isRejected,
  isUndecided
}: Pick<DuePost, "isRejected" | "isUndecided">): ReadonlyArray<Finding> => {
  if (isUndecided) {
    return [
      {
        ...aboutPost,
        code: "draft_unapproved",
        message: "It waits for approval, so it will not go out",
        help: "Approve it, or reject it"
      }
    ]
  }
  return isRejected
    ? []
    : [
        {
          ...aboutPost,
          code: "draft_unscheduled",
          message: "Nobody has scheduled it, so it will not go out",
          help: "Schedule it, or remove its time"
        }
      ]
}

export const unreadablePost: Finding = {
  ...aboutPost,
  code: "post_unreadable",
  message: "This version of the service can't read it",
  help: "Ask the operator of the service to update it, or write the post again"
}
