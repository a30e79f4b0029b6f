import type { WaitingPosts } from "../../../domain/accounts/accountChange.ts"

const count = (size: number, name: string): string => `${size} ${name}`

export const describeWaiting = ({ drafts, failed, scheduled }: typeof WaitingPosts.Encoded): string =>
  [
    ...(scheduled > 0 ? [count(scheduled, "scheduled")] : []),
    ...(drafts > 0 ? [count(drafts, drafts === 1 ? "draft" : "drafts")] : []),
    ...(failed > 0 ? [count(failed, "failed")] : [])
  ].join(", ") || "Nothing"

const lists = new Intl.ListFormat("en", { type: "conjunction" })

const counted = (size: number, one: string): ReadonlyArray<string> =>
  size === 0 ? [] : [`${size} ${one}${size === 1 ? "" : "s"}`]

/** `2 scheduled posts and 1 draft wait for @acme.` */
export const describeWaitingFor = (
  { drafts, failed, scheduled }: typeof WaitingPosts.Encoded,
  username: string
): string => {
  const parts = [
    ...counted(scheduled, "scheduled post"),
    ...counted(drafts, "draft"),
    ...counted(failed, "failed post")
  ]
  const verb = drafts + failed + scheduled <= 1 ? "waits" : "wait"
  return `${parts.length === 0 ? "Nothing" : lists.format(parts)} ${verb} for @${username}.`
}
