export const postStatuses = ["draft", "scheduled", "publishing", "published", "failed"] as const

/** A post as a client has seen it. Without a status it is that revision in whichever. */
interface Seen {
  readonly revision: number
  readonly status: (typeof postStatuses)[number] | null
}

/**
 * The entity tag of a post, such as `"3-draft"`. It has the status beside the revision, because scheduling, which leaves the
 * revision that was approved as it is, is a change for whoever has read a draft.
 */
export const formatEtag = ({ revision, status }: Seen): string =>
  status === null ? `"${revision}"` : `"${revision}-${status}"`
