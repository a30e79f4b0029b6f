import type { LivePlatform } from "../../domain/platform.ts"
import type { Grant, SandboxAccount, SandboxEntry, SandboxPost } from "./entry.ts"

/** The platforms as they stand: what the entries so far come to. */
export interface SandboxState {
  readonly apply: (entry: SandboxEntry) => void
  readonly account: (platform: LivePlatform, id: string) => SandboxAccount | undefined
  readonly accountNamed: (platform: LivePlatform, username: string) => SandboxAccount | undefined
  /** The account that an access token opens at a time; `expired` where it did so once. */
  readonly access: (platform: LivePlatform, token: string, now: number) => SandboxAccount | "expired" | undefined
  readonly grantFor: (platform: LivePlatform, refreshToken: string) => Grant | undefined
  /** The pair that was given for a refresh token. */
  readonly successor: (refreshToken: string) => Grant | undefined
  readonly isRevoked: (grant: Grant) => boolean
  readonly families: (platform: LivePlatform) => ReadonlyArray<string>
  /** Oldest first. */
  readonly posts: () => ReadonlyArray<SandboxPost>
  readonly post: (platform: LivePlatform, accountId: string, id: string) => SandboxPost | undefined
  /** When the account last posted a text; undefined where it did not. */
  readonly lastPosted: (platform: LivePlatform, accountId: string, text: string) => number | undefined
  /** How many sends were taken, those that replaced a post included. */
  readonly accepted: (platform: LivePlatform) => number
}

export const makeSandboxState = (): SandboxState => {
  const accounts = new Map<string, SandboxAccount>()
  const byAccess = new Map<string, Grant>()
  const byRefresh = new Map<string, Grant>()
  const successors = new Map<string, Grant>()
  const revoked = new Set<string>()
  const endedAccess = new Set<string>()
  const posts = new Map<string, SandboxPost>()
  const texts = new Map<string, number>()
  const accepted = { twitter: 0, bluesky: 0 }

  const apply = (entry: SandboxEntry): void => {
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
        accepted[entry.platform]++
        posts.set(`${entry.platform} ${entry.accountId} ${entry.id}`, entry)
        texts.set(`${entry.platform} ${entry.accountId} ${entry.text}`, entry.at)
    }
  }

  const access: SandboxState["access"] = (platform, token, now) => {
    const grant = byAccess.get(token)
    if (grant === undefined || grant.platform !== platform) return undefined
    const ended = now >= grant.accessUntil || revoked.has(grant.family) || endedAccess.has(token)
    return ended ? "expired" : accounts.get(`${platform} ${grant.accountId}`)
  }

  return {
    apply,
    access,
    account: (platform, id) => accounts.get(`${platform} ${id}`),
    accountNamed: (platform, username) =>
      accounts.values().find((account) => account.platform === platform && account.username === username),
    grantFor: (platform, token) => {
      const grant = byRefresh.get(token)
      return grant?.platform === platform ? grant : undefined
    },
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
    lastPosted: (platform, accountId, text) => texts.get(`${platform} ${accountId} ${text}`),
    accepted: (platform) => accepted[platform]
  }
}
