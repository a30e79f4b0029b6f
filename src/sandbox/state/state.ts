import type { LivePlatform } from "../../domain/platform.ts"
import type { DemoWorkspace, Entry, Grant, SandboxAccount, SandboxPost } from "./entry.ts"

const ofPlatform = (grant: Grant | undefined, platform: LivePlatform) =>
  grant?.platform === platform ? grant : undefined

/** The state after all entries so far. */
export const makeState = () => {
  const accounts = new Map<string, SandboxAccount>()
  const byAccess = new Map<string, Grant>()
  const byRefresh = new Map<string, Grant>()
  const successors = new Map<string, Grant>()
  const revoked = new Set<string>()
  const endedAccess = new Set<string>()
  const posts = new Map<string, SandboxPost>()
  const texts = new Map<string, number>()
  const accepted = new Map<LivePlatform, number>()
  let demo: DemoWorkspace | undefined

  const apply = (entry: Entry): void => {
    switch (entry._tag) {
      case "Account":
        accounts.set(`${entry.platform} ${entry.id}`, entry)
        break
      case "Grant":
        byAccess.set(entry.access, entry)
        if (!byRefresh.has(entry.refresh)) byRefresh.set(entry.refresh, entry)
        if (entry.replaces !== null && !successors.has(entry.replaces)) successors.set(entry.replaces, entry)
        break
      case "Revoked":
        revoked.add(entry.family)
        break
      case "AccessEnded":
        for (const grant of byAccess.values()) {
          if (grant.platform === entry.platform) endedAccess.add(grant.access)
        }
        break
      case "Post":
        if (entry.example !== true) accepted.set(entry.platform, (accepted.get(entry.platform) ?? 0) + 1)
        posts.set(`${entry.platform} ${entry.accountId} ${entry.id}`, entry)
        texts.set(`${entry.platform} ${entry.accountId} ${entry.text}`, entry.at)
        break
      case "Deleted":
        posts.delete(`${entry.platform} ${entry.accountId} ${entry.id}`)
        break
      case "DemoWorkspace":
        demo = entry
    }
  }

  /** `expired` if the token is no longer valid. */
  const accountByToken = (platform: LivePlatform, token: string, now: number) => {
    const grant = ofPlatform(byAccess.get(token), platform)
    if (grant === undefined) return undefined
    const ended = now >= grant.accessUntil || revoked.has(grant.family) || endedAccess.has(token)
    return ended ? "expired" : accounts.get(`${platform} ${grant.accountId}`)
  }

  return {
    apply,
    account: (platform: LivePlatform, id: string) => accounts.get(`${platform} ${id}`),
    accountByUsername: (platform: LivePlatform, username: string) =>
      accounts.values().find((account) => account.platform === platform && account.username === username),
    accountByToken,
    grantByAccessToken: (platform: LivePlatform, token: string) => ofPlatform(byAccess.get(token), platform),
    grantByRefreshToken: (platform: LivePlatform, token: string) => ofPlatform(byRefresh.get(token), platform),
    /** The first pair that replaced a refresh token. */
    successor: (token: string) => successors.get(token),
    isRevoked: (grant: Grant) => revoked.has(grant.family),
    families: (platform: LivePlatform) => [
      ...new Set(
        byAccess
          .values()
          .filter((grant) => grant.platform === platform)
          .map((grant) => grant.family)
      )
    ],
    /** Oldest first. */
    posts: () => [...posts.values()],
    post: (platform: LivePlatform, accountId: string, id: string) => posts.get(`${platform} ${accountId} ${id}`),
    lastPostedAt: (platform: LivePlatform, accountId: string, text: string) =>
      texts.get(`${platform} ${accountId} ${text}`),
    accepted: (platform: LivePlatform) => accepted.get(platform) ?? 0,
    demo: () => demo
  }
}

export type State = ReturnType<typeof makeState>
