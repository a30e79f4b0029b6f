export const postStatuses = ["draft", "scheduled", "publishing", "published", "failed"] as const

/** `suffix` numbers the parts of a split text, as in "… 2/7". */
export const numberings = ["none", "suffix"] as const
export type Numbering = (typeof numberings)[number]

/** A post as a client has seen it; without a status, in any. */
interface Seen {
  readonly revision: number
  readonly status: (typeof postStatuses)[number] | null
}

/**
 * Such as `"3-draft"`. It has the status because scheduling keeps an approved revision, but is a change for a reader of
 * the draft.
 */
export const formatEtag = ({ revision, status }: Seen): string =>
  status === null ? `"${revision}"` : `"${revision}-${status}"`

/** Ends the error message of a target that may be published. */
export const duplicateWarning = "Check the account before you publish this again: it may have been published already."

export const mayBePublished = ({ code, message }: { readonly code: string; readonly message: string }): boolean =>
  code === "outcome_unknown" || message.includes(duplicateWarning)
