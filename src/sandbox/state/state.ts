import type { LivePlatform } from "../../domain/platform.ts"
import type { DemoWorkspace, Entry, Grant, SandboxAccount, SandboxPost } from "./entry.ts"

/** The fold of all entries so far. */
export interface State {
  readonly apply: (entry: Entry) => void
  readonly account: (platform: LivePlatform, id: string) => SandboxAccount | undefined
  readonly accountByUsername: (platform: LivePlatform, username: string) => SandboxAccount | undefined
  /** `expired` if the token is no longer valid. */
  readonly accountByToken: (
    platform: LivePlatform,
    token: string,
    now: number
  ) => SandboxAccount | "expired" | undefined
  readonly grantByAccessToken: (platform: LivePlatform, accessToken: string) => Grant | undefined
  readonly grantByRefreshToken: (platform: LivePlatform, refreshToken: string) => Grant | undefined
  /** The first pair issued for a refresh token. */
  readonly successor: (refreshToken: string) => Grant | undefined
  readonly isRevoked: (grant: Grant) => boolean
  readonly families: (platform: LivePlatform) => ReadonlyArray<string>
  /** Oldest first. */
  readonly posts: () => ReadonlyArray<SandboxPost>
  readonly post: (platform: LivePlatform, accountId: string, id: string) => SandboxPost | undefined
  readonly lastPostedAt: (platform: LivePlatform, accountId: string, text: string) => number | undefined
  /** Accepted sends, including replacements of a post. */
  readonly accepted: (platform: LivePlatform) => number
  readonly demo: () => DemoWorkspace | undefined
}

const ofPlatform = (grant: Grant | undefined, platform: LivePlatform) =>
  grant?.platform === platform ? grant : undefined

export const makeState = (): State => {
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

  const accountByToken: State["accountByToken"] = (platform, token, now) => {
    const grant = ofPlatform(byAccess.get(token), platform)
    if (grant === undefined) return undefined
    const ended = now >= grant.accessUntil || revoked.has(grant.family) || endedAccess.has(token)
    return ended ? "expired" : accounts.get(`${platform} ${grant.accountId}`)
  }

  return {
    apply,
    account: (platform, id) => accounts.get(`${platform} ${id}`),
    accountByUsername: (platform, username) =>
      accounts.values().find((account) => account.platform === platform && account.username === username),
    accountByToken,
    grantByAccessToken: (platform, token) => ofPlatform(byAccess.get(token), platform),
    grantByRefreshToken: (platform, token) => ofPlatform(byRefresh.get(token), platform),
    successor: (token) => successors.get(token),
    isRevoked: (grant) => revoked.has(grant.family),
    families: (platform) => [
      ...new Set(
        byAccess
          .values()
          .filter((grant) => grant.platform === platform)
          .map((grant) => grant.family)
      )
    ],
    posts: () => [...posts.values()],
    post: (platform, accountId, id) => posts.get(`${platform} ${accountId} ${id}`),
    lastPostedAt: (platform, accountId, text) => texts.get(`${platform} ${accountId} ${text}`),
    accepted: (platform) => accepted.get(platform) ?? 0,
    demo: () => demo
  }
}
