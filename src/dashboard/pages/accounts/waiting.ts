import type { WaitingPosts } from "../../../domain/accountChange.ts"

const count = (size: number, name: string): string => `${size} ${name}`

/** What waits for an account, in words. */
export const describeWaiting = ({ drafts, failed, scheduled }: typeof WaitingPosts.Encoded): string =>
  [
    ...(scheduled > 0 ? [count(scheduled, "scheduled")] : []),
    ...(drafts > 0 ? [count(drafts, drafts === 1 ? "draft" : "drafts")] : []),
    ...(failed > 0 ? [count(failed, "failed")] : [])
  ].join(", ") || "Nothing"
