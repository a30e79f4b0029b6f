import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { UserId, WorkspaceId } from "../domain/ids.ts"
import { Instant } from "../domain/instant.ts"
import { Text } from "../domain/text/publishableText.ts"
import { Authentication } from "./Authentication.ts"
import { SessionAuthorization } from "./Authorization.ts"
import { CrossOrigin, RateLimited, Unauthorized, Unavailable } from "./problems.ts"
import { CheckedInput, JsonBody } from "./input.ts"
import { openOperation, sessionOperation } from "./operation.ts"
import { RateLimit } from "./RateLimit.ts"

/** The body that logs somebody in. */
const LogIn = Schema.Struct({
  email: Text.check(Schema.isMaxLength(320)),
  password: Text.check(Schema.isMaxLength(1024)),
  workspace_id: Schema.optionalKey(WorkspaceId)
}).annotate({ identifier: "LogIn" })

const Session = Schema.Struct({
  user_id: UserId,
  email: Schema.String,
  workspace_id: WorkspaceId,
  expires_at: Instant
}).annotate({ identifier: "Session" })

const logIn = HttpApiEndpoint.post("logIn", "/", {
  payload: LogIn,
  success: Schema.Struct({ data: Session }).annotate({ identifier: "OneSession" }),
  error: [Unauthorized, CrossOrigin, RateLimited, Unavailable]
})
  .annotateMerge(
    openOperation({
      id: "logIn",
      summary: "Log in",
      description:
        "Opens a session of a user in one of their workspaces and sets its cookie; a session that the request carried before ends. " +
        "Sessions serve the notifications; posts and integrations need a key."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const logOut = HttpApiEndpoint.delete("logOut", "/", {
  query: { everywhere: Schema.optionalKey(Schema.Literals(["true", "false"])) },
  success: Schema.Struct({ data: Schema.Struct({ deleted: Schema.Literal(true) }) }).annotate({
    identifier: "EndedSession"
  }),
  error: Unavailable
})
  .annotateMerge(
    sessionOperation({
      id: "logOut",
      summary: "Log out",
      description: "Ends the session and removes its cookie, or all of the user's sessions.",
      parameters: [
        {
          name: "everywhere",
          in: "query",
          description: "Whether to end all of the user's sessions, on every device and in every workspace",
          schema: { type: "string", enum: ["true", "false"], default: "false" },
          required: false
        }
      ]
    })
  )
  .middleware(CheckedInput)
  .middleware(SessionAuthorization)
  .middleware(RateLimit)
  .middleware(Authentication)

export class Sessions extends HttpApiGroup.make("sessions")
  .add(logIn, logOut)
  .prefix("/v1/session")
  .annotateMerge(OpenApi.annotations({ title: "Sessions", description: "Logging in and out, for people." })) {}
