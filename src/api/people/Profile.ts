import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { SessionId, UserId, WorkspaceId } from "../../domain/ids.ts"
import { describedInstant } from "../../domain/instant.ts"
import { ProfileSettings } from "../../domain/people/profile.ts"
import { sessionId, userId, workspaceId } from "../../domain/samples.ts"
import { Authentication } from "../Authentication.ts"
import { SessionAuthorization } from "../Authorization.ts"
import { listOf } from "../data.ts"
import { examples } from "../examples.ts"
import { CheckedInput, JsonBody } from "../input.ts"
import { sessionOperation } from "../operation.ts"
import { orNull } from "../orNull.ts"
import { shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"
import { getMail, updateMail } from "./Mail.ts"

const profileExample = {
  user_id: userId,
  email: "ada@acme.example",
  name: "Ada Lovelace",
  theme: "system",
  hours: 24,
  week_starts_on: "monday",
  time_zone: "Europe/London",
  muted_notifications: ["post.published"]
} as const

const Profile = Schema.Struct({
  user_id: UserId.annotateKey({ description: "The user's id." }),
  email: Schema.String.annotateKey({ description: "The user's email address." }),
  ...ProfileSettings.fields,
  // Any string, because a later version may allow other names.
  name: Schema.NullOr(Schema.String).annotateKey({ description: "The name that the user gave; null without one." })
})
  .annotate({
    identifier: "Profile",
    description: "A person's name and their settings of the dashboard, in every workspace."
  })
  .pipe(Schema.annotateEncoded({ examples: [profileExample] }))

export const OneProfile = Schema.Struct({ data: Profile })
  .annotate({ identifier: "OneProfile", description: "The profile." })
  .pipe(examples({ profile: { data: profileExample } }))

const { name, time_zone, ...others } = ProfileSettings.fields

const UpdateProfile = Schema.Struct({
  name: Schema.optionalKey(name),
  time_zone: Schema.optionalKey(time_zone),
  ...Struct.map(Struct.map(others, Schema.optionalKey), orNull)
})
  .annotate({
    identifier: "UpdateProfile",
    description: "What to change; the rest stays as it is. Unknown members are rejected."
  })
  .pipe(examples({ name: { name: "Ada Lovelace", hours: 12 }, quiet: { muted_notifications: ["post.published"] } }))

const shownSession = {
  id: sessionId,
  workspace: { id: workspaceId, name: "Acme" },
  created_at: "2030-01-31T08:15:30.250Z",
  expires_at: "2030-02-14T08:15:30.250Z",
  user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  current: true
} as const

const OpenSession = Schema.Struct({
  id: SessionId.annotateKey({ description: "The session's id, which is no secret." }),
  workspace: Schema.Struct({
    id: WorkspaceId.annotateKey({ description: "The workspace's id." }),
    name: Schema.String.annotateKey({ description: "The workspace's name." })
  }).annotateKey({ description: "The workspace that the session gives access to." }),
  created_at: describedInstant("When the user logged in."),
  expires_at: describedInstant("When the session expires, unless it is ended before."),
  user_agent: Schema.NullOr(Schema.String).annotateKey({
    description: "The `User-Agent` of the log-in, cut at 400 characters; null if there was none, or it is not known."
  }),
  current: Schema.Boolean.annotateKey({ description: "Whether it is the session of the request." })
})
  .annotate({
    identifier: "OpenSession",
    description: "One log-in of the user that has neither expired nor been ended."
  })
  .pipe(Schema.annotateEncoded({ examples: [shownSession] }))

export const SessionList = listOf(OpenSession, "The sessions, at most 100.")
  .annotate({ identifier: "SessionList", description: "The user's sessions: the one of the request, then the newest." })
  .pipe(examples({ list: { data: [shownSession] } }))

export const EndedSessions = Schema.Struct({
  data: Schema.Struct({ ended: Schema.Int.annotateKey({ description: "How many sessions were ended." }) }).annotateKey({
    description: "The change."
  })
})
  .annotate({ identifier: "EndedSessions", description: "Sessions of the user were ended." })
  .pipe(examples({ ended: { data: { ended: 1 } } }))

const get = HttpApiEndpoint.get("get", "/profile", { success: OneProfile }).annotateMerge(
  sessionOperation({
    id: "getProfile",
    summary: "Get the profile",
    description:
      "Returns the user's name, their settings of the dashboard, and the types of notifications that they muted."
  })
)

const update = HttpApiEndpoint.patch("update", "/profile", { payload: UpdateProfile, success: OneProfile })
  .annotateMerge(
    sessionOperation({
      id: "updateProfile",
      summary: "Change the profile",
      description:
        "Changes the given members of the user's profile. Other members see the name instead of the email address."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const listSessions = HttpApiEndpoint.get("listSessions", "/sessions", { success: SessionList })
  .annotateMerge(
    sessionOperation({
      id: "listSessions",
      summary: "List the sessions",
      description: "Lists where the user is logged in, in every workspace."
    })
  )
  .middleware(CheckedInput)

const endSession = HttpApiEndpoint.delete("endSession", "/sessions/:id", {
  params: { id: SessionId.annotateKey({ description: "The session's id.", examples: [SessionId.make(sessionId)] }) },
  success: EndedSessions,
  error: shown.NotFound
})
  .annotateMerge(
    sessionOperation({
      id: "endSession",
      summary: "End another session",
      description: "Ends another session of the user. `DELETE /v1/session` ends the one of the request."
    })
  )
  .middleware(CheckedInput)

const endOtherSessions = HttpApiEndpoint.delete("endOtherSessions", "/sessions", {
  success: EndedSessions
}).annotateMerge(
  sessionOperation({
    id: "endOtherSessions",
    summary: "End the other sessions",
    description: "Ends all of the user's sessions but the one of the request, in every workspace."
  })
)

export class ProfileGroup extends HttpApiGroup.make("profile")
  .add(get, update, getMail, updateMail, listSessions, endSession, endOtherSessions)
  .middleware(SessionAuthorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/session")
  .annotateMerge(
    OpenApi.annotations({
      title: "Profile",
      description: "A person's own name, settings, mail, and where they are logged in."
    })
  ) {}
