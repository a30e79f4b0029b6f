import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describedInstant } from "../../domain/instant.ts"
import { countsExample, OutlookCounts, OutlookPost, outlookPostExample } from "../../domain/outlook/outlook.ts"
import { defaultOutlookHour, defaultOutlookHours, maxOutlookHours } from "../../domain/plain/outlook.ts"
import { Authentication } from "../Authentication.ts"
import { AdminAuthorization, Authorization, SessionAuthorization } from "../Authorization.ts"
import { dataOf } from "../data.ts"
import { examples } from "../examples.ts"
import { CheckedInput, JsonBody } from "../input.ts"
import { adminOperation, operation, sessionOperation } from "../operation.ts"
import { optional } from "../orNull.ts"
import { limitParameter, wholeNumber } from "../pagination.ts"
import { RateLimit } from "../RateLimit.ts"

export const defaultOutlookLimit = 200
const maxOutlookLimit = 500

const costExample = { usd: 0.215, note: "2 posts by list prices, without files" } as const

const outlookExample = {
  from: "2030-01-30T17:00:00.000Z",
  until: "2030-02-01T05:00:00.000Z",
  checked_at: "2030-01-30T17:00:00.000Z",
  publishing_held: false,
  counts: countsExample,
  cost_estimate: costExample,
  posts: [outlookPostExample],
  left_out: 5,
  note: "5 of 6 posts are not listed: those with the least to do and the latest times"
} as const

export const OutlookResponse = dataOf("The outlook.", {
  from: describedInstant("The beginning of the window, the time of the check."),
  until: describedInstant("The end of the window."),
  checked_at: describedInstant("When the posts were checked. A check is remembered for some seconds."),
  publishing_held: Schema.Boolean.annotateKey({
    description: "Whether publishing is on hold after a restore, so that nothing goes out for now."
  }),
  counts: OutlookCounts.annotateKey({ description: "All posts in the window by their state." }),
  cost_estimate: Schema.NullOr(
    Schema.Struct({
      usd: Schema.Finite.annotateKey({ description: "In US dollars, without files." }),
      note: Schema.String.annotateKey({ description: "How it was estimated." })
    })
  ).annotateKey({
    description: "What a platform is likely to charge for the scheduled posts in the window; null if none does."
  }),
  posts: Schema.Array(OutlookPost).annotateKey({
    description:
      "First the posts that need somebody, then those that could not be checked, then the others; each by time."
  }),
  left_out: Schema.Int.annotateKey({ description: "How many posts of the window are not in `posts`." }),
  note: Schema.NullOr(Schema.String).annotateKey({
    description: "What is left out, for people; null if nothing is."
  })
})
  .annotate({ identifier: "Outlook", description: "The posts that are due soon, as they were checked." })
  .pipe(examples({ outlook: { data: outlookExample } }))

const settingsExample = {
  hour: 17,
  always_notify: false,
  time_zone: "Europe/Berlin",
  next_at: "2030-01-31T16:00:00.000Z"
} as const

const Hour = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 23 })).annotate({ format: "int32" })

const hourText = `The hour of the day, from 0 to 23, at which posts are checked; ${defaultOutlookHour} by default, null for never`
const alwaysText = "Whether there is a notification even if everything is fine"

export const OutlookSettingsResponse = dataOf("The settings.", {
  hour: Schema.NullOr(Hour).annotateKey({ description: `${hourText}.` }),
  always_notify: Schema.Boolean.annotateKey({ description: `${alwaysText}.` }),
  time_zone: Schema.String.annotateKey({
    description: "The time zone of this hour: that of the workspace's queue, or UTC without one."
  }),
  next_at: Schema.NullOr(describedInstant("The next check.")).annotateKey({
    description: "When posts are checked next; null for never."
  })
})
  .annotate({ identifier: "OutlookSettings", description: "When a workspace's posts are checked every day." })
  .pipe(examples({ settings: { data: settingsExample } }))

const UpdateSettings = Schema.Struct({
  hour: Schema.optionalKey(Schema.NullOr(Hour)).annotateKey({ description: `${hourText}.` }),
  always_notify: optional(Schema.Boolean, `${alwaysText}.`)
})
  .annotate({
    identifier: "UpdateOutlookSettings",
    description: "What to change; the rest stays as it is. Unknown members are rejected."
  })
  .pipe(examples({ later: { hour: 19 }, off: { hour: null } }))

const get = HttpApiEndpoint.get("get", "/", {
  query: {
    hours: wholeNumber({
      description: "How far ahead posts are checked, in hours.",
      minimum: 1,
      maximum: maxOutlookHours,
      default: defaultOutlookHours
    }),
    limit: limitParameter("posts", maxOutlookLimit, defaultOutlookLimit)
  },
  success: OutlookResponse
})
  .annotateMerge(
    operation({
      id: "getOutlook",
      scope: "posts:read",
      summary: "Check what is due soon",
      description:
        "Checks every post that is due soon as publishing it would: the accounts and their access, today's rules and limits, the files, the links, the mentions, repetitions, and drafts that nobody has scheduled. " +
        "Changes nothing. What platforms and links answered is remembered for some minutes. Workspaces take turns, so that a response can take a while."
    })
  )
  .middleware(CheckedInput)
  .middleware(Authorization)

const getSettings = HttpApiEndpoint.get("getSettings", "/settings", { success: OutlookSettingsResponse })
  .annotateMerge(
    sessionOperation({
      id: "getOutlookSettings",
      summary: "Get the settings of the daily check",
      description: "Returns when the workspace's posts are checked every day."
    })
  )
  .middleware(SessionAuthorization)

const updateSettings = HttpApiEndpoint.patch("updateSettings", "/settings", {
  payload: UpdateSettings,
  success: OutlookSettingsResponse
})
  .annotateMerge(
    adminOperation({
      id: "updateOutlookSettings",
      summary: "Change the settings of the daily check",
      description:
        "Changes when the workspace's posts are checked every day. After a check, the next one is at least twelve hours later."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)
  .middleware(AdminAuthorization)

export class OutlookGroup extends HttpApiGroup.make("outlook")
  .add(get, getSettings, updateSettings)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/outlook")
  .annotateMerge(
    OpenApi.annotations({ title: "Outlook", description: "What is due soon, checked before its time." })
  ) {}
