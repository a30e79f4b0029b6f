import type { StandIn, StandInMemory } from "./StandIn.ts"
import { makeCodes } from "./state/codes.ts"
import { SandboxAccount } from "./state/entry.ts"
import { displayNameOf } from "./state/names.ts"
import { makeTokens } from "./state/tokens.ts"

export const deriveAccount = ({ account, platform }: Pick<StandIn, "account" | "platform">, seed: string) =>
  SandboxAccount.make({ platform, ...account(seed), displayName: displayNameOf(seed) })

/** A stand-in without a server. Its endpoints answer one request after another, each by the state so far. */
export const openStandIn = (
  standIn: Pick<StandIn, "account" | "endpoints" | "platform" | "renewal">,
  { files, limit }: Pick<StandInMemory, "files" | "limit">
) => {
  const { endpoints, platform, renewal } = standIn
  const memory: StandInMemory = {
    platform,
    files,
    codes: makeCodes(),
    tokens: makeTokens(platform, renewal),
    limit,
    deriveAccount: (seed) => deriveAccount(standIn, seed)
  }
  return { ...memory, endpoints: endpoints(memory) }
}
