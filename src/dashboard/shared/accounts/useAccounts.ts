import type { Platform } from "../../../domain/platform.ts"
import type { Failure } from "../../api/errors.ts"
import { avatarPath, type IntegrationJson, integrations } from "../../api/integrations.ts"
import type { PostTargetJson } from "../../api/posts.ts"
import { useQuery } from "../../api/query.ts"
import { isLive } from "../../../domain/plain/platforms.ts"
import { liveFacts } from "../../../platforms/facts.ts"
import type { ShownAccount } from "../../ui/preview/PostPreview.tsx"
import { accountOf, type TargetAccount } from "./targetAccount.ts"

export interface Accounts {
  /** The accounts; undefined until they are known. */
  readonly all: ReadonlyArray<IntegrationJson> | undefined
  /** Why the last attempt to load them failed; they may be known from before. */
  readonly error: Failure | undefined
  readonly refetch: () => void
  readonly find: (platform: Platform) => IntegrationJson | undefined
  /** Whose post a target is. */
  readonly of: (target: PostTargetJson) => TargetAccount
  /** Whether a target waits, and can't go out because no account is connected. False until the accounts are known. */
  readonly isStuck: (target: PostTargetJson) => boolean
}

/** The connected accounts of the workspace. */
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
  handle: account.username,
  picture: avatarPath(account)
})

const formerAccount: ShownAccount = { name: "An earlier account", handle: undefined }

/** The account of a target; undefined where there is none. */
export const shownTargetAccount = (of: TargetAccount): ShownAccount | "loading" | undefined => {
  switch (of.kind) {
    case "connected":
      return shownAccount(of.account)
    case "former":
      return formerAccount
    case "unknown":
      return "loading"
    case "none":
      return undefined
  }
}

/** The account that posts to a platform go out from; undefined where there is none. */
export const shownConnected = ({ all, find }: Accounts, platform: Platform): ShownAccount | "loading" | undefined => {
  if (all === undefined) return "loading"
  const account = find(platform)
  return account && shownAccount(account)
}

/** Where the posts of an account are, on its platform. */
export const profileOf = ({ platform, username }: IntegrationJson): string => {
  const { profilePath, site } = liveFacts[platform]
  return `${site}${profilePath(username)}`
}
