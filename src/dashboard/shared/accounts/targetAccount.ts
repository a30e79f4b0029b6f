import type { Integration } from "../../../domain/accounts/integration.ts"
import type { PostTarget } from "../../../domain/posts/post.ts"

type Account = typeof Integration.Encoded

/** The account that a target is on: the connected one, one that was connected before, none yet, or one that is not known yet. */
export type TargetAccount =
  | { readonly kind: "connected"; readonly account: Account }
  | { readonly kind: "former" }
  | { readonly kind: "none" }
  | { readonly kind: "unknown" }

/**
 * A target that names the connected account, or none, is that one's. One that names another stays with it: it was sent from there, or
 * is the rest of a thread. While no account is connected, one that waits has none.
 */
export const accountOf = (
  { account_id: id, status }: Pick<typeof PostTarget.Encoded, "account_id" | "status">,
  connected: Account | undefined
): TargetAccount => {
  if (connected !== undefined && (id === null || id === connected.account_id)) {
    return { kind: "connected", account: connected }
  }
  return connected === undefined && (id === null || status === "pending") ? { kind: "none" } : { kind: "former" }
}
