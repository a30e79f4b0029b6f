import type { Integration } from "../../../domain/accounts/integration.ts"
import type { PostTargetJson } from "../../api/postStatus.ts"

type Account = typeof Integration.Encoded

export type TargetAccount =
  | { readonly kind: "connected"; readonly account: Account }
  | { readonly kind: "former" }
  | { readonly kind: "none" }
  | { readonly kind: "unknown" }

/**
 * The account of a target. A target without one belongs to the connected account, if there is one. A target that
 * another account has sent or begun to send stays with that account.
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
