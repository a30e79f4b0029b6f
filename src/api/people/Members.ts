import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ApiKeyId, UserId } from "../../domain/ids.ts"
import { describedInstant } from "../../domain/instant.ts"
import { Role } from "../../domain/people/role.ts"
import { userId } from "../../domain/samples.ts"
import { AdminAuthorization, SessionAuthorization } from "../Authorization.ts"
import { Authentication } from "../Authentication.ts"
import { dataOf, deleted, listOf } from "../data.ts"
import { examples } from "../examples.ts"
import { CheckedInput, JsonBody } from "../input.ts"
import { adminOperation, sessionOperation } from "../operation.ts"
import { InsufficientRole, shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"

const memberExample = {
  user_id: userId,
  email: "ada@acme.example",
  name: "Ada Lovelace",
  role: "editor",
  created_at: "2030-01-02T08:15:30.250Z",
  mail_error: null
} as const

const Member = Schema.Struct({
  user_id: UserId.annotateKey({ description: "The user's id." }),
  email: Schema.String.annotateKey({ description: "The user's email address." }),
  name: Schema.NullOr(Schema.String).annotateKey({ description: "The name that the user gave; null without one." }),
  role: Role.annotateKey({ description: "What the member may do in this workspace." }),
  created_at: describedInstant("When the user became a member."),
  mail_error: Schema.NullOr(Schema.String).annotateKey({
    description:
      "Why the latest mail to the user could not be delivered, for example because the address does not exist; null if it was delivered, or if there was none in the last 30 days."
  })
})
  .annotate({ identifier: "Member", description: "A person with access to the workspace." })
  .pipe(Schema.annotateEncoded({ examples: [memberExample] }))

export const OneMember = Schema.Struct({ data: Member })
  .annotate({ identifier: "OneMember", description: "The member." })
  .pipe(examples({ member: { data: memberExample } }))

export const MemberList = listOf(Member, "The members.")
  .annotate({ identifier: "MemberList", description: "The workspace's members, in the order in which they joined." })
  .pipe(examples({ list: { data: [memberExample] } }))

const UpdateMember = Schema.Struct({ role: Role.annotateKey({ description: "The member's role from now on." }) })
  .annotate({ identifier: "UpdateMember", description: "What to change of a member. Unknown members are rejected." })
  .pipe(examples({ admin: { role: "admin" } }))

export const RemovedMember = dataOf("The change.", {
  user_id: UserId.annotateKey({ description: "The user's id." }),
  deleted,
  revoked_keys: Schema.Array(ApiKeyId).annotateKey({
    description: "The ids of the keys that were revoked with `revoke_keys`."
  })
})
  .annotate({ identifier: "RemovedMember", description: "The user is not a member any more." })
  .pipe(examples({ removed: { data: { user_id: userId, deleted: true, revoked_keys: [] } } }))

const params = {
  user_id: UserId.annotateKey({ description: "The user's id.", examples: [UserId.make(userId)] })
}

const list = HttpApiEndpoint.get("list", "/", { success: MemberList })
  .annotateMerge(
    adminOperation({
      id: "listMembers",
      summary: "List members",
      description: "Lists the people who have access to the workspace, in the order in which they joined."
    })
  )
  .middleware(CheckedInput)
  .middleware(AdminAuthorization)

const update = HttpApiEndpoint.patch("update", "/:user_id", {
  params,
  payload: UpdateMember,
  success: OneMember,
  error: [shown.NotFound, shown.InvalidState]
})
  .annotateMerge(
    adminOperation({
      id: "updateMember",
      summary: "Change a member's role",
      description:
        "Changes what a member may do, with immediate effect. The invitations by somebody who is no longer an admin are taken back. The last admin of a workspace can't get another role."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)
  .middleware(AdminAuthorization)

const remove = HttpApiEndpoint.delete("remove", "/:user_id", {
  params,
  query: {
    revoke_keys: Schema.optionalKey(Schema.Literals(["true", "false"])).annotateKey({
      description: "Whether the API keys that the member has made in the workspace are revoked; `false` by default.",
      examples: ["true"]
    })
  },
  success: RemovedMember,
  error: [InsufficientRole, shown.NotFound, shown.InvalidState]
})
  .annotateMerge(
    sessionOperation({
      id: "removeMember",
      summary: "Remove a member",
      description:
        "Ends a member's access and their sessions in the workspace, and takes back their invitations; everything else that they created stays, " +
        "including API keys unless `revoke_keys` is true. After this response, nothing that they have begun is stored. " +
        "Members may remove themselves, and others only with the role admin. The last admin of a workspace can't be removed."
    })
  )
  .middleware(CheckedInput)
  .middleware(SessionAuthorization)

export class Members extends HttpApiGroup.make("members")
  .add(list, update, remove)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/members")
  .annotateMerge(OpenApi.annotations({ title: "Members", description: "People with access to the workspace." })) {}
