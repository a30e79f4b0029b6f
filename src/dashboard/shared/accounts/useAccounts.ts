import type { Platform } from "../../../domain/platform.ts"
import type { Failure } from "../../api/errors.ts"
import { avatarPath, type IntegrationJson, integrations } from "../../api/integrations.ts"
import type { PostTargetJson } from "../../api/posts.ts"
import { useQuery } from "../../api/query.ts"
import { accountName, factsOf, isLive } from "../../../domain/plain/platforms.ts"
import { liveFacts } from "../../../platforms/facts.ts"
import type { ShownAccount } from "../../ui/preview/PostPreview.tsx"
import { accountOf, type TargetAccount } from "./targetAccount.ts"

export interface Accounts {
  readonly all: ReadonlyArray<IntegrationJson> | undefined
  /** The error of the last load. Accounts from an earlier load may still be known. */
  readonly error: Failure | undefined
  readonly refetch: () => void
  readonly find: (platform: Platform) => IntegrationJson | undefined
  readonly of: (target: PostTargetJson) => TargetAccount
  /** True if a target waits although no account is connected. False until the accounts are known. */
  readonly isStuck: (target: PostTargetJson) => boolean
}

export const useAccounts = (): Accounts => {
  const { data, error, refetch } = useQuery(integrations)
  const find = (platform: Platform) => data?.data.find((account) => account.platform === platform)
  return {
    all: data?.data,
    error,
    refetch,
    find,
    of: (target) => (data === undefined ? { kind: "unknown" } : accountOf(target, find(target.integrations.platform))),
    isStuck: ({ integrations: { platform }, status }) =>
      data !== undefined && status === "pending" && isLive(platform) && find(platform)?.status !== "connected"
  }
}

const shownAccount = (account: IntegrationJson): ShownAccount => ({
  name: account.display_name ?? account.username,
  handle: factsOf(account.platform).handles === false ? null : accountName(account.platform, account.username),
  picture: avatarPath(account)
})

const shownFormer = (name: string | undefined): ShownAccount => ({
  name: name === undefined ? "An earlier account" : `${name}, an earlier account`,
  handle: undefined
})

/** `former` is the name of an account that was replaced, if it is known. */
export const shownTargetAccount = (of: TargetAccount, former?: string): ShownAccount | "loading" | undefined => {
  switch (of.kind) {
    case "connected":
      return shownAccount(of.account)
    case "former":
      return shownFormer(former)
    case "unknown":
      return "loading"
    case "none":
      return undefined
  }
}

export const shownConnected = ({ all, find }: Accounts, platform: Platform): ShownAccount | "loading" | undefined => {
  if (all === undefined) return "loading"
  const account = find(platform)
  return account && shownAccount(account)
}

export const profileOf = ({ platform, username }: IntegrationJson): string => {
  const { profilePath, site } = liveFacts[platform]
  return `${site}${profilePath(username)}`
}
