import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { UserId, WorkspaceId } from "../../domain/ids.ts"
import { describedInstant } from "../../domain/instant.ts"
import { Role } from "../../domain/people/role.ts"
import { userId, workspaceId } from "../../domain/samples.ts"
import { maxEmailLength, maxPasswordLength, NewPassword } from "../../domain/people/session.ts"
import { Text } from "../../domain/posts/text/publishableText.ts"
import { Authentication } from "../Authentication.ts"
import { SessionAuthorization } from "../Authorization.ts"
import { dataOf, deleted } from "../data.ts"
import { examples } from "../examples.ts"
import { CheckedInput, JsonBody } from "../input.ts"
import { publicOperation, sessionOperation } from "../operation.ts"
import { CrossOrigin, NoWorkspace, RateLimited, Unauthorized, Unavailable } from "../problems.ts"
import { optional } from "../orNull.ts"
import { RateLimit } from "../RateLimit.ts"

const session = {
  user_id: userId,
  email: "ada@acme.example",
  workspace_id: workspaceId,
  role: "editor",
  expires_at: "2030-02-14T09:00:00.000Z"
} as const

const password = Text.check(Schema.isMaxLength(maxPasswordLength))

const LogIn = Schema.Struct({
  email: Text.check(Schema.isMaxLength(maxEmailLength)).annotateKey({ description: "The user's email address." }),
  password: password.annotateKey({ description: "The user's password." }),
  workspace_id: optional(WorkspaceId, "The workspace of the session; by default the one that the user joined first.")
})
  .annotate({ identifier: "LogIn", description: "A user's credentials." })
  .pipe(examples({ logIn: { email: session.email, password: "a long and secret sentence" } }))

const Session = Schema.Struct({
  user_id: UserId.annotateKey({ description: "The user." }),
  email: Schema.String.annotateKey({ description: "The user's email address." }),
  workspace_id: WorkspaceId.annotateKey({ description: "The workspace that the session gives access to." }),
  role: Role.annotateKey({ description: "The user's role in this workspace." }),
  expires_at: describedInstant("When the session expires, unless it is ended before.")
})
  .annotate({ identifier: "Session", description: "A user's access to one workspace." })
  .pipe(Schema.annotateEncoded({ examples: [session] }))

export const OneSession = Schema.Struct({ data: Session })
  .annotate({ identifier: "OneSession", description: "The session; `Set-Cookie` sets its cookie." })
  .pipe(examples({ opened: { data: session } }))

const ChangeWorkspace = Schema.Struct({
  workspace_id: WorkspaceId.annotateKey({ description: "A workspace that the user is a member of." })
})
  .annotate({ identifier: "ChangeWorkspace", description: "The workspace to change to." })
  .pipe(examples({ change: { workspace_id: workspaceId } }))

const ChangePassword = Schema.Struct({
  current_password: password.annotateKey({ description: "The user's current password." }),
  new_password: NewPassword.annotateKey({ description: "The new password, of 12 to 1024 characters." })
})
  .annotate({ identifier: "ChangePassword", description: "A user's current password and a new one." })
  .pipe(
    examples({
      change: { current_password: "a long and secret sentence", new_password: "another long and secret sentence" }
    })
  )

const ChangedPassword = dataOf("The change.", {
  changed: Schema.Literal(true).annotateKey({ description: "Always true." })
})
  .annotate({
    identifier: "ChangedPassword",
    description: "The password was changed; `Set-Cookie` replaces the session's cookie."
  })
  .pipe(examples({ changed: { data: { changed: true } } }))

const EndedSession = dataOf("The ended session.", {
  deleted
})
  .annotate({ identifier: "EndedSession", description: "The session was ended; `Set-Cookie` removes its cookie." })
  .pipe(examples({ ended: { data: { deleted: true } } }))

const logIn = HttpApiEndpoint.post("logIn", "/", {
  payload: LogIn,
  success: OneSession,
  error: [Unauthorized, NoWorkspace, CrossOrigin, RateLimited, Unavailable]
})
  .annotateMerge(
    publicOperation({
      id: "logIn",
      summary: "Log in",
      description:
        "Starts a session in one of the user's workspaces and sets its cookie; a session that the request carries is ended. " +
        "What a session gives access to depends on the user's role in the workspace."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const logOut = HttpApiEndpoint.delete("logOut", "/", {
  query: {
    everywhere: Schema.optionalKey(Schema.Literals(["true", "false"])).annotateKey({
      description: "Whether to end all of the user's sessions, on every device and in every workspace.",
      default: "false"
    })
  },
  success: EndedSession,
  error: Unavailable
})
  .annotateMerge(
    sessionOperation({
      id: "logOut",
      summary: "Log out",
      description: "Ends the session, or all of the user's sessions, and removes the cookie."
    })
  )
  .middleware(CheckedInput)

const changeWorkspace = HttpApiEndpoint.put("changeWorkspace", "/workspace", {
  payload: ChangeWorkspace,
  success: OneSession,
  error: Unavailable
})
  .annotateMerge(
    sessionOperation({
      id: "changeWorkspace",
      summary: "Change the workspace",
      description:
        "Replaces the session by one in another of the user's workspaces, with another cookie and the same end. " +
        "`GET /v1/me` lists the workspaces."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const changePassword = HttpApiEndpoint.put("changePassword", "/password", {
  payload: ChangePassword,
  success: ChangedPassword,
  error: [RateLimited, Unavailable]
})
  .annotateMerge(
    sessionOperation({
      id: "changePassword",
      summary: "Change the password",
      description:
        "Changes the user's own password, ends their other sessions and replaces this one. A wrong current password is an invalid " +
        "field; ten of them in a minute block further attempts for a while."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

export class Sessions extends HttpApiGroup.make("sessions")
  .add(logOut, changeWorkspace, changePassword)
  .middleware(SessionAuthorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  // Added after the middleware, so this operation needs no authentication.
  .add(logIn)
  .prefix("/v1/session")
  .annotateMerge(
    OpenApi.annotations({ title: "Sessions", description: "Log in and out, and change the workspace or the password." })
  ) {}
