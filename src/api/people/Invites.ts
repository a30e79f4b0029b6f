import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { InviteId } from "../../domain/ids.ts"
import { describedInstant } from "../../domain/instant.ts"
import { maxInvites } from "../../domain/people/member.ts"
import { NamedAuthor, userExample } from "../../domain/people/namedAuthor.ts"
import { Role } from "../../domain/people/role.ts"
import { inviteId } from "../../domain/samples.ts"
import { maxPasswordLength, NewEmailAddress } from "../../domain/people/session.ts"
import { Text } from "../../domain/posts/text/publishableText.ts"
import { AdminAuthorization } from "../Authorization.ts"
import { Authentication } from "../Authentication.ts"
import { dataOf, deleted, listOf } from "../data.ts"
import { examples } from "../examples.ts"
import { CheckedInput, JsonBody } from "../input.ts"
import { adminOperation, publicOperation } from "../operation.ts"
import { optional } from "../orNull.ts"
import { CrossOrigin, RateLimited, Unauthorized, Unavailable, shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"
import { OneSession } from "./Sessions.ts"

const inviteExample = {
  id: inviteId,
  email: "grace@acme.example",
  role: "editor",
  created_at: "2030-01-02T08:15:30.250Z",
  created_by: userExample,
  expires_at: "2030-01-05T08:15:30.250Z"
} as const

const role = Role.annotateKey({ description: "The role that the invited person gets." })

const Invite = Schema.Struct({
  id: InviteId.annotateKey({ description: "The invitation's id." }),
  email: Schema.String.annotateKey({ description: "The address of the invited person." }),
  role,
  created_at: describedInstant("When the person was invited."),
  created_by: Schema.NullOr(NamedAuthor).annotateKey({
    description: "Who invited the person; null if that is not known."
  }),
  expires_at: describedInstant("When the invitation expires.")
})
  .annotate({ identifier: "Invite", description: "An invitation that was not accepted yet." })
  .pipe(Schema.annotateEncoded({ examples: [inviteExample] }))

const CreateInvite = Schema.Struct({
  email: NewEmailAddress.annotateKey({ description: "The address of the person to invite, in ASCII characters." }),
  role
})
  .annotate({ identifier: "CreateInvite", description: "Whom to invite. Unknown members are rejected." })
  .pipe(examples({ editor: { email: inviteExample.email, role: "editor" } }))

const tokenExample = "mRr0vJ1fXw2k8bQe5nT7yA3cLz6hPd9sUgIoVxKqZ4E"

export const InviteWithUrl = Schema.Struct({
  data: Invite,
  url: Schema.RedactedFromValue(
    Schema.String.annotate({
      description: "The link to send to the person: whoever has it can accept. It can't be shown again."
    })
  ),
  mailed: Schema.Boolean.annotateKey({
    description:
      "Whether the service has mailed the link to the person. If it sends no mail, or the mail server did not accept it within 10 seconds, send the link yourself."
  })
})
  .annotate({ identifier: "InviteWithUrl", description: "The invitation, and its link." })
  .pipe(
    examples({ created: { data: inviteExample, url: `https://posts.example/invite#${tokenExample}`, mailed: false } })
  )

export const InviteList = listOf(Invite, "The invitations.")
  .annotate({ identifier: "InviteList", description: "The workspace's invitations, newest first." })
  .pipe(examples({ list: { data: [inviteExample] } }))

const DeletedInvite = dataOf("The change.", {
  id: InviteId.annotateKey({ description: "The invitation's id." }),
  deleted
})
  .annotate({ identifier: "DeletedInvite", description: "The invitation was taken back." })
  .pipe(examples({ deleted: { data: { id: inviteId, deleted: true } } }))

const token = Text.check(Schema.isMaxLength(200)).annotateKey({
  description: "The secret of the invitation: what follows `#` in its link."
})

const ReadInvite = Schema.Struct({ token })
  .annotate({ identifier: "ReadInvite", description: "The invitation to show." })
  .pipe(examples({ read: { token: tokenExample } }))

export const ShownInvite = dataOf("The invitation.", {
  email: Schema.String.annotateKey({ description: "The address of the invited person." }),
  role,
  workspace_name: Schema.String.annotateKey({ description: "The name of the workspace." }),
  has_user: Schema.Boolean.annotateKey({
    description: "Always false: the link does not reveal whether the person already has a password."
  })
})
  .annotate({ identifier: "ShownInvite", description: "An invitation, as the invited person sees it." })
  .pipe(
    examples({
      invite: { data: { email: inviteExample.email, role: "editor", workspace_name: "Acme", has_user: false } }
    })
  )

const AcceptInvite = Schema.Struct({
  token,
  password: optional(
    Text.check(Schema.isMaxLength(maxPasswordLength)),
    "The password of the user with this address, or the one that a new user chooses; of 12 to 1024 characters. Not needed with that " +
      "user's session."
  )
})
  .annotate({ identifier: "AcceptInvite", description: "The invitation to accept. Unknown members are rejected." })
  .pipe(
    examples({
      newUser: { token: tokenExample, password: "a long and secret sentence" },
      loggedIn: { token: tokenExample }
    })
  )

const params = {
  id: InviteId.annotateKey({ description: "The invitation's id.", examples: [InviteId.make(inviteId)] })
}

const list = HttpApiEndpoint.get("list", "/", { success: InviteList })
  .annotateMerge(
    adminOperation({
      id: "listInvites",
      summary: "List invitations",
      description: "Lists the invitations that can be accepted, newest first, without their links."
    })
  )
  .middleware(CheckedInput)

const create = HttpApiEndpoint.post("create", "/", {
  payload: CreateInvite,
  success: InviteWithUrl.pipe(HttpApiSchema.status(201)),
  error: [shown.InvalidState, shown.MemberLimit]
})
  .annotateMerge(
    adminOperation({
      id: "createInvite",
      summary: "Invite somebody",
      description:
        "Makes a link with which one person becomes a member, once and within 72 hours, and shows it, once. If the service sends mail, it also mails the link, up to five a minute. It replaces " +
        `an invitation of the same address, and is taken back when you are removed or get another role. A workspace may have ${maxInvites} pending invitations.`
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const remove = HttpApiEndpoint.delete("delete", "/:id", { params, success: DeletedInvite, error: shown.NotFound })
  .annotateMerge(
    adminOperation({
      id: "deleteInvite",
      summary: "Take back an invitation",
      description: "Makes an invitation's link worthless."
    })
  )
  .middleware(CheckedInput)

const read = HttpApiEndpoint.post("read", "/read", {
  payload: ReadInvite,
  success: ShownInvite,
  error: [shown.NotFound, RateLimited, Unavailable]
})
  .annotateMerge(
    publicOperation({
      id: "readInvite",
      summary: "Read an invitation",
      description:
        "Says what a link invites to, and changes nothing. Requests with unknown links are limited by the client's address."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const accept = HttpApiEndpoint.post("accept", "/accept", {
  payload: AcceptInvite,
  success: OneSession,
  error: [
    Unauthorized,
    shown.LoginRequired,
    CrossOrigin,
    shown.NotFound,
    shown.InvalidState,
    shown.MemberLimit,
    RateLimited,
    Unavailable
  ]
})
  .annotateMerge(
    publicOperation({
      id: "acceptInvite",
      summary: "Accept an invitation",
      description:
        "Makes the invited person a member and logs them in to the workspace, as log-in does. A user accepts with their session or with " +
        "their password, and a new user with the password that they choose. Without either, the response is " +
        "`login_required`. If the password is not that of the user with this address, the response is a 401."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

export class Invites extends HttpApiGroup.make("invites")
  .add(list, create, remove)
  .middleware(AdminAuthorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  // Added after the middleware, so these operations need no authentication.
  .add(read, accept)
  .prefix("/v1/invites")
  .annotateMerge(
    OpenApi.annotations({ title: "Invitations", description: "Links with which people become members." })
  ) {}
