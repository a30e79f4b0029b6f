import { request } from "./client.ts"

export const requestPassword = (email: string) => request<unknown>("POST", "/v1/password-resets", { body: { email } })

/** Ends all sessions of the link's user. */
export const choosePassword = (token: string, password: string) =>
  request<unknown>("POST", "/v1/password-resets/use", { body: { token, password } })
