export const postStatuses = ["draft", "scheduled", "publishing", "published", "failed"] as const

/** `suffix` numbers the parts of a split text, as in "… 2/7". */
export const numberings = ["none", "suffix"] as const
export type Numbering = (typeof numberings)[number]

/** A post as a client has seen it. Null matches any status. */
interface Seen {
  readonly revision: number
  readonly status: (typeof postStatuses)[number] | null
}

/**
 * Such as `"3-draft"`. The status is included because scheduling keeps the approved revision, but changes the post for
 * a reader of the draft.
 */
export const formatEtag = ({ revision, status }: Seen): string =>
  status === null ? `"${revision}"` : `"${revision}-${status}"`

/** The end of a target's error message if the target might be published. */
export const duplicateWarning = "Check the account before you publish this again: it may have been published already."

export const mayBePublished = ({ code, message }: { readonly code: string; readonly message: string }): boolean =>
  code === "outcome_unknown" || message.includes(duplicateWarning)
