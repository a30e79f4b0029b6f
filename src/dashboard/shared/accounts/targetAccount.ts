import type { Integration } from "../../../domain/accounts/integration.ts"
import type { PostTargetJson } from "../../api/postStatus.ts"

type Account = typeof Integration.Encoded

export type TargetAccount =
  | { readonly kind: "connected"; readonly account: Account }
  | { readonly kind: "former" }
  | { readonly kind: "none" }
  | { readonly kind: "unknown" }

/**
 * A target without an account belongs to the connected account, if there is one. A target with an account stays with
 * it, because that account sent it or began its thread.
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
