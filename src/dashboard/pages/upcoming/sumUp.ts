import { describeStates } from "../../../domain/plain/outlookStates.ts"
import type { OutlookJson, OutlookPostJson } from "../../api/outlookJson.ts"

type Counts = OutlookJson["counts"]

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`

/** Such as `6 posts: 4 are fine, 1 needs you, 1 could not be checked`. */
export const sumUp = (counts: Counts): string => {
  const all = counted(counts.posts, "post", "posts")
  return counts.posts === 0 ? all : `${all}: ${describeStates(counts)}`
}

/** Names the folded posts, and says if some are not listed or have notes. */
export const sumUpFine = (fine: number, listed: ReadonlyArray<Pick<OutlookPostJson, "findings">>): string => {
  const noted = listed.filter(({ findings }) => findings.length > 0).length
  return [
    counted(fine, "post is fine", "posts are fine"),
    ...(listed.length < fine ? [`${listed.length.toLocaleString("en-US")} of them listed`] : []),
    ...(noted > 0 ? [counted(noted, "with a note", "with notes")] : [])
  ].join(", ")
}

/** The posts by what they ask of somebody. */
export const byState = (posts: ReadonlyArray<OutlookPostJson>) => ({
  needing: posts.filter(({ state }) => state === "needs_you"),
  unchecked: posts.filter(({ state }) => state === "unchecked"),
  fine: posts.filter(({ state }) => state === "fine")
})
