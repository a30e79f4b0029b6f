import type { LivePlatform, Platform } from "../../domain/platform.ts"
import type { ShownAccount } from "../ui/PostPreview.tsx"
import { avatarPath, type IntegrationJson, integrations } from "../api/integrations.ts"
import type { Failure } from "../api/errors.ts"
import { useQuery } from "../api/query.ts"

export interface Accounts {
  /** Undefined until they are known. */
  readonly all: ReadonlyArray<IntegrationJson> | undefined
  /** Why they are not known; they may be known from before. */
  readonly error: Failure | undefined
  readonly refetch: () => void
  readonly find: (platform: Platform) => IntegrationJson | undefined
}

/** The connected accounts of the workspace. */
export const useAccounts = (): Accounts => {
  const { data, error, refetch } = useQuery(integrations)
  return {
    all: data?.data,
    error,
    refetch,
    find: (platform) => data?.data.find((account) => account.platform === platform)
  }
}

export const shownAccount = ({ display_name, id, username }: IntegrationJson): ShownAccount => ({
  name: display_name ?? username,
  handle: username,
  picture: avatarPath(id)
})

const profiles: Readonly<Record<LivePlatform, string>> = {
  twitter: "https://x.com/",
  bluesky: "https://bsky.app/profile/"
}

/** Where the posts of an account are, on its platform. */
export const profileOf = ({ platform, username }: IntegrationJson): string =>
  `${profiles[platform]}${encodeURIComponent(username)}`
