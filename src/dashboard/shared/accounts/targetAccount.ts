import type { Integration } from "../../../domain/accounts/integration.ts"
import type { PostTarget } from "../../../domain/posts/post.ts"

type Account = typeof Integration.Encoded

/** The account that a target is on: the connected one, one that was connected before, none yet, or one that is not known yet. */
export type TargetAccount =
  | { readonly kind: "connected"; readonly account: Account }
  | { readonly kind: "former" }
  | { readonly kind: "none" }
  | { readonly kind: "unknown" }

/** A target that has ended, or is being sent, stays with its account. One that waits goes out from the connected one. */
export const accountOf = (
  { account_id: id, status }: Pick<typeof PostTarget.Encoded, "account_id" | "status">,
  connected: Account | undefined
): TargetAccount => {
  if (connected !== undefined && (id === null || id === connected.account_id)) {
    return { kind: "connected", account: connected }
  }
  if (id !== null && status !== "pending") return { kind: "former" }
  return connected === undefined ? { kind: "none" } : { kind: "connected", account: connected }
}
