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
 * A target stays with its account, once it was sent or as the rest of a thread. While none is connected, one that waits has none: any
 * other goes out from the account that is connected then.
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
