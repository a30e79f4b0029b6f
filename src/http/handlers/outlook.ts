import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { defaultOutlookLimit } from "../../api/posts/Outlook.ts"
import type { CheckedOutlook } from "../../domain/outlook/checkedOutlook.ts"
import { mostUrgent } from "../../domain/outlook/outlook.ts"
import { defaultOutlookHours } from "../../domain/plain/outlook.ts"
import { adminAuthority } from "../../domain/people/authority.ts"
import { Outlook } from "../../outlook/Outlook.ts"
import type { Outlooks } from "../../repo/outlooks/OutlookRuns.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { asData, asSession, inWorkspace } from "./shared.ts"

const explainLeftOut = (leftOut: number, { counts, unseen }: CheckedOutlook): string | null => {
  if (leftOut === 0) return null
  const listed = `${leftOut.toLocaleString("en")} of ${counts.posts.toLocaleString("en")} posts are not listed: those with the least to do and the latest times`
  return unseen === 0
    ? listed
    : `${listed}. ${unseen.toLocaleString("en")} of them were not checked; ask for fewer hours`
}

const shownOutlook = (outlook: CheckedOutlook, limit: number) => {
  const { costEstimate, counts, from, isHeld, until } = outlook
  const posts = mostUrgent(outlook.posts, limit)
  const leftOut = counts.posts - posts.length
  return {
    from,
    until,
    checked_at: from,
    publishing_held: isHeld,
    counts,
    cost_estimate: costEstimate,
    posts,
    left_out: leftOut,
    note: explainLeftOut(leftOut, outlook)
  }
}

const shownSettings = ({ alwaysNotify, hour, nextAt, timeZone }: Effect.Success<ReturnType<Outlooks["settings"]>>) => ({
  hour,
  always_notify: alwaysNotify,
  time_zone: timeZone,
  next_at: nextAt
})

export const outlookLayer = HttpApiBuilder.group(
  Api,
  "outlook",
  Effect.fn(function* (handlers) {
    const { outlooks } = yield* Repo
    const { check } = yield* Outlook

    return handlers
      .handle("get", ({ query: { hours = defaultOutlookHours, limit = defaultOutlookLimit } }) =>
        inWorkspace((workspaceId) => check(workspaceId, hours)).pipe(
          Effect.map((outlook) => shownOutlook(outlook, limit)),
          asData,
          orProblem
        )
      )
      .handle("getSettings", () =>
        asSession(({ workspaceId }) => outlooks.settings(workspaceId)).pipe(
          Effect.map(shownSettings),
          asData,
          orProblem
        )
      )
      .handle("updateSettings", ({ payload: { always_notify: alwaysNotify, hour } }) =>
        asSession((session) =>
          outlooks.updateSettings(
            session.workspaceId,
            { ...(hour !== undefined && { hour }), ...(alwaysNotify !== undefined && { alwaysNotify }) },
            adminAuthority(session)
          )
        ).pipe(Effect.map(shownSettings), asData, orProblem)
      )
  })
)
