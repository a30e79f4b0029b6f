import type { WaitingPosts } from "../../../domain/accounts/accountChange.ts"

const counted = (size: number, one: string): ReadonlyArray<string> =>
  size === 0 ? [] : [`${size} ${one}${size === 1 ? "" : "s"}`]

export const describeWaiting = ({ drafts, failed, scheduled }: typeof WaitingPosts.Encoded): string =>
  [
    ...(scheduled > 0 ? [`${scheduled} scheduled`] : []),
    ...counted(drafts, "draft"),
    ...(failed > 0 ? [`${failed} failed`] : [])
  ].join(", ") || "Nothing"

const lists = new Intl.ListFormat("en", { type: "conjunction" })

/** Such as `2 scheduled posts and 1 draft wait for @acme.` */
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
