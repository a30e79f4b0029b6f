import type { WaitingPosts } from "../../../domain/accounts/accountChange.ts"

const counted = (size: number, one: string): ReadonlyArray<string> =>
  size === 0 ? [] : [`${size} ${one}${size === 1 ? "" : "s"}`]

/** The posts that wait for an account, such as "2 scheduled", with the status that lists it. */
export const waitingParts = ({ drafts, failed, scheduled }: typeof WaitingPosts.Encoded) =>
  [
    { status: "scheduled", words: scheduled > 0 ? [`${scheduled} scheduled`] : [] },
    { status: "draft", words: counted(drafts, "draft") },
    { status: "failed", words: failed > 0 ? [`${failed} failed`] : [] }
  ].flatMap(({ status, words }) => words.map((text) => ({ status, text })))

const lists = new Intl.ListFormat("en", { type: "conjunction" })

/** Such as `2 scheduled posts and 1 draft wait for @acme.` */
export const describeWaitingFor = (
  { drafts, failed, scheduled }: typeof WaitingPosts.Encoded,
  name: string
): string => {
  const parts = [
    ...counted(scheduled, "scheduled post"),
    ...counted(drafts, "draft"),
    ...counted(failed, "failed post")
  ]
  const verb = drafts + failed + scheduled <= 1 ? "waits" : "wait"
  return `${parts.length === 0 ? "Nothing" : lists.format(parts)} ${verb} for ${name}.`
}
