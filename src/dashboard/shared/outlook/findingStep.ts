import type { Scope } from "../../../domain/people/apiKey.ts"
import { approve } from "../actions/decide.ts"
import { edit, editPath } from "../actions/openers.ts"

export interface Step {
  readonly label: string
  readonly href: string
}

/** `operator`: no page of the dashboard helps. */
type Place = "accounts" | "approvals" | "compose" | "operator"

/** Where the step of a finding is done. All others, and those of a later version, are done on the post's page. */
const places: Readonly<Partial<Record<string, Place>>> = {
  account_missing: "accounts",
  account_lost: "accounts",
  account_unchecked: "accounts",
  access_ending: "accounts",
  draft_unapproved: "approvals",
  platform_disabled: "compose",
  text_refused: "compose",
  text_repeated: "compose",
  setting_refused: "compose",
  file_missing: "compose",
  file_refused: "compose",
  file_processing: "compose",
  card_missing: "compose",
  link_broken: "compose",
  link_withheld: "compose",
  link_unchecked: "compose",
  mention_unknown: "compose",
  mention_unchecked: "compose",
  publishing_held: "operator",
  spending_reached: "operator",
  file_unchecked: "operator"
}

export const postPath = (id: string): string => `/posts/${encodeURIComponent(id)}`

/** Leads to the post if the person's role can't do the step. Undefined if no page helps. */
export const stepOf = (
  { code }: { readonly code: string },
  postId: string,
  can: (scope: Scope) => boolean
): Step | undefined => {
  const place = places[code]
  if (place === "operator") return undefined
  if (place === "accounts") return { label: "Go to accounts", href: "/accounts" }
  if (place === "approvals" && can(approve.scope)) return { label: "Go to approvals", href: "/approvals" }
  if (place === "compose" && can(edit.scope)) return { label: "Edit the post", href: editPath(postId) }
  return { label: "Open the post", href: postPath(postId) }
}
