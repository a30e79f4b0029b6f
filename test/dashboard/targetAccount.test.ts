import { assert, describe, it } from "@effect/vitest"
import { accountOf } from "../../src/dashboard/shared/accounts/targetAccount.ts"

const connected = {
  id: "01a1fc17-dc2e-777d-ad63-000000000003",
  platform: "twitter",
  account_id: "2",
  username: "after",
  display_name: null,
  avatar_url: null,
  status: "connected",
  created_at: "2030-01-02T08:15:30.250Z"
} as const

const target = (account_id: string | null, status: "published" | "pending") => ({ status, account_id })

describe("The account of a target", () => {
  it.each([
    ["A post that went out from the connected account is its post", target("2", "published"), connected, "connected"],
    [
      "A post that went out from an account that was replaced is not the connected one's",
      target("1", "published"),
      connected,
      "former"
    ],
    [
      "A post that went out before its account was disconnected is that account's",
      target("1", "published"),
      undefined,
      "former"
    ],
    [
      "A post whose account was never stored is shown as the connected one's",
      target(null, "published"),
      connected,
      "connected"
    ],
    ["A post that waits goes out from the connected account", target("2", "pending"), connected, "connected"],
    [
      "The rest of a thread does not go out from another account than its beginning",
      target("1", "pending"),
      connected,
      "former"
    ],
    ["A post that waits has no account while none is connected", target("1", "pending"), undefined, "none"]
  ] as const)("%s", (_title, of, account, kind) => {
    assert.strictEqual(accountOf(of, account).kind, kind)
  })
})
