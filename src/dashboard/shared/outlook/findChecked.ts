import type { OutlookPostJson } from "../../api/outlookJson.ts"
import type { PostJson } from "../../api/postStatus.ts"
import { defaultOutlookHours } from "../../../domain/plain/outlook.ts"

const hourMillis = 3_600_000

type Timed = Pick<PostJson, "scheduled_at" | "status">

/** True if a check covers the post, unless too many others are due earlier. */
export const isDueSoon = ({ scheduled_at: at, status }: Timed, now: Date): boolean => {
  if (at === null || (status !== "scheduled" && status !== "draft")) return false
  const millis = new Date(at).getTime() - now.getTime()
  return millis > 0 && millis <= defaultOutlookHours * hourMillis
}

/** Undefined if the post was moved, published or made a draft after the check, which then says nothing about it. */
export const stillChecked = (checked: OutlookPostJson | undefined, post: Timed): OutlookPostJson | undefined => {
  const { scheduled_at: at, status } = post
  if (checked === undefined || at === null || checked.status !== status) return undefined
  return new Date(checked.scheduled_at).getTime() === new Date(at).getTime() ? checked : undefined
}
