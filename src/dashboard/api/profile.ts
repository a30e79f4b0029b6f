import type { EndedSessions, OneProfile, SessionList } from "../../api/people/Profile.ts"
import { request } from "./client.ts"
import { query } from "./query.ts"

export type ProfileJson = (typeof OneProfile.Encoded)["data"]
export type SessionJson = (typeof SessionList.Encoded)["data"][number]

export const profile = query<typeof OneProfile.Encoded>("/v1/session/profile")
export const openSessions = query<typeof SessionList.Encoded>("/v1/session/sessions")

export const updateProfile = (changes: Partial<Omit<ProfileJson, "user_id" | "email">>) =>
  request<typeof OneProfile.Encoded>("PATCH", "/v1/session/profile", { body: changes })

/** Also ends the person's other sessions. */
export const changePassword = (current: string, next: string) =>
  request<unknown>("PUT", "/v1/session/password", { body: { current_password: current, new_password: next } })

export const endSession = (id: string) =>
  request<typeof EndedSessions.Encoded>("DELETE", `/v1/session/sessions/${encodeURIComponent(id)}`)

export const endOtherSessions = () => request<typeof EndedSessions.Encoded>("DELETE", "/v1/session/sessions")
