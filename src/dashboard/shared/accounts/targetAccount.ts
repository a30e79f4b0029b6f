import type { Integration } from "../../../domain/accounts/integration.ts"
import type { PostTargetJson } from "../../api/postStatus.ts"

type Account = typeof Integration.Encoded

export type TargetAccount =
  | { readonly kind: "connected"; readonly account: Account }
  | { readonly kind: "former" }
  | { readonly kind: "none" }
  | { readonly kind: "unknown" }

/**
 * A target without an account belongs to the connected one, if there is one. A target stays with the account that has
 * sent it or begun to.
 */
export const accountOf = (
  { account_id: id, status }: Pick<PostTargetJson, "account_id" | "status">,
  connected: Account | undefined
): TargetAccount => {
  if (connected !== undefined && (id === null || id === connected.account_id)) {
    return { kind: "connected", account: connected }
  }
  return connected === undefined && (id === null || status === "pending") ? { kind: "none" } : { kind: "former" }
}
