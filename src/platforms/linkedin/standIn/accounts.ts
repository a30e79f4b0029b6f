import { createHash } from "node:crypto"
import type { SandboxAccount } from "../../../sandbox/state/entry.ts"
import { displayNameOf, handleOf } from "../../../sandbox/state/names.ts"
import { isPageUrn } from "../syntax.ts"

const digest = (text: string) => createHash("sha256").update(text).digest()

/** A member has no handle, so the name is shown in its place. */
export const memberOf = (seed: string) => ({
  id: `urn:li:person:${digest(`linkedin ${seed}`).toString("base64url").slice(0, 10)}`,
  username: displayNameOf(seed)
})

/** An even number: the next one is the person's other page. */
const pageNumber = (seed: string): bigint => (digest(`linkedin page ${seed}`).readBigUInt64BE() >> 36n) * 2n

export const pageOf = (seed: string) => ({ id: `urn:li:organization:${pageNumber(seed)}`, username: handleOf(seed) })

const titled = (account: SandboxAccount, id: bigint, suffix: string, title: string): SandboxAccount => ({
  ...account,
  id: `urn:li:organization:${id}`,
  username: `${account.username}${suffix}`,
  displayName: `${account.displayName}${title}`
})

/** The pages that somebody manages: of a member, or of the one who granted access to a page. */
export const pagesOf = (account: SandboxAccount): ReadonlyArray<SandboxAccount> => {
  if (!isPageUrn(account.id)) {
    const first = pageNumber(account.username)
    return [titled(account, first, "-page", " Page"), titled(account, first + 1n, "-jobs", " Jobs")]
  }
  const number = BigInt(account.id.split(":").at(-1) ?? "0")
  return number % 2n === 0n ? [account, titled(account, number + 1n, "-jobs", " Jobs")] : [account]
}

export const urnNumber = (urn: string) => urn.split(":").at(-1) ?? ""
