import type { OneMe } from "../../api/people/Me.ts"
import type { OneSession } from "../../api/people/Sessions.ts"
import { request } from "./client.ts"
import { forgetIdentity, shareIdentity } from "./identity.ts"
import { query } from "./query.ts"

type Caller = (typeof OneMe.Encoded)["data"]["caller"]

/** The caller is always a person, because the dashboard uses only sessions. */
export interface Me extends Omit<(typeof OneMe.Encoded)["data"], "caller"> {
  readonly caller: Extract<Caller, { readonly type: "user" }>
}

type Session = typeof OneSession.Encoded

export const me = query<{ readonly data: Me }>("/v1/me")

export const logIn = (email: string, password: string) => {
  forgetIdentity()
  return request<Session>("POST", "/v1/session", { body: { email, password } })
}

/** Only the sandbox lets people log in without a password. */
export const logInAsDemo = () => {
  forgetIdentity()
  return request<Session>("POST", "/sandbox/session")
}

export const logOut = () => request<unknown>("DELETE", "/v1/session")

export const switchWorkspace = async (id: string) => {
  const outcome = await request<Session>("PUT", "/v1/session/workspace", { body: { workspace_id: id } })
  if (outcome.ok) {
    const { user_id, workspace_id } = outcome.data.data
    shareIdentity(user_id, workspace_id)
  }
  return outcome
}
