import type { InviteList, InviteWithUrl, ShownInvite } from "../../api/people/Invites.ts"
import type { MemberList, OneMember, RemovedMember } from "../../api/people/Members.ts"
import type { Role } from "../../domain/people/role.ts"
import { request } from "./client.ts"
import { forgetIdentity } from "./identity.ts"
import { query } from "./query.ts"

export type MemberJson = (typeof MemberList.Encoded)["data"][number]
export type InviteJson = (typeof InviteList.Encoded)["data"][number]
export type ShownInviteJson = (typeof ShownInvite.Encoded)["data"]

export const members = query<typeof MemberList.Encoded>("/v1/members")
export const invites = query<typeof InviteList.Encoded>("/v1/invites")

export const setRole = (userId: string, role: Role) =>
  request<typeof OneMember.Encoded>("PATCH", `/v1/members/${encodeURIComponent(userId)}`, { body: { role } })

export const removeMember = (userId: string, revokesKeys: boolean) =>
  request<typeof RemovedMember.Encoded>(
    "DELETE",
    `/v1/members/${encodeURIComponent(userId)}${revokesKeys ? "?revoke_keys=true" : ""}`
  )

export const invite = (email: string, role: Role) =>
  request<typeof InviteWithUrl.Encoded>("POST", "/v1/invites", { body: { email, role } })

export const takeBackInvite = (id: string) => request<unknown>("DELETE", `/v1/invites/${encodeURIComponent(id)}`)

export const readInvite = (token: string) =>
  request<typeof ShownInvite.Encoded>("POST", "/v1/invites/read", { body: { token } })

/** `password` may be undefined if the invited user is logged in. */
export const acceptInvite = (token: string, password: string | undefined) => {
  forgetIdentity()
  return request<unknown>("POST", "/v1/invites/accept", { body: { token, password } })
}
