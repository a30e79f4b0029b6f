export const postStatuses = ["draft", "scheduled", "publishing", "published", "failed"] as const

/** How the parts of a text that is split are numbered: not at all, or as in "… 2/7". */
export const numberings = ["none", "suffix"] as const
export type Numbering = (typeof numberings)[number]

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

/** Ends the message of a target's error where the post may be published. */
export const duplicateWarning = "Check the account before you publish this again: it may have been published already."

/** Whether a failed target may be published all the same, so that a person has to look. */
export const mayBePublished = ({ code, message }: { readonly code: string; readonly message: string }): boolean =>
  code === "outcome_unknown" || message.includes(duplicateWarning)
