import type { WaitingPosts } from "../../../domain/accounts/accountChange.ts"

const count = (size: number, name: string): string => `${size} ${name}`

/** What waits for an account, in words. */
export const describeWaiting = ({ drafts, failed, scheduled }: typeof WaitingPosts.Encoded): string =>
  [
    ...(scheduled > 0 ? [count(scheduled, "scheduled")] : []),
    ...(drafts > 0 ? [count(drafts, drafts === 1 ? "draft" : "drafts")] : []),
    ...(failed > 0 ? [count(failed, "failed")] : [])
  ].join(", ") || "Nothing"

const posts = (size: number, kind: string): ReadonlyArray<string> =>
  size === 0 ? [] : [`${size} ${kind} ${size === 1 ? "post" : "posts"}`]

/** What waits, as a sentence: `2 scheduled posts, 1 draft post wait for @acme.` */
export const describeWaitingFor = (
  { drafts, failed, scheduled }: typeof WaitingPosts.Encoded,
  username: string
): string => {
  const parts = [...posts(scheduled, "scheduled"), ...posts(drafts, "draft"), ...posts(failed, "failed")]
  const verb = drafts + failed + scheduled <= 1 ? "waits" : "wait"
  return `${parts.length === 0 ? "Nothing" : parts.join(", ")} ${verb} for @${username}.`
}
