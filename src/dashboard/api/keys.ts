import type { KeyList, KeyWithSecret, OneKey } from "../../api/people/Keys.ts"
import type { Scope } from "../../domain/people/apiKey.ts"
import { request } from "./client.ts"
import { query } from "./query.ts"

export type KeyJson = (typeof KeyList.Encoded)["data"][number]

export const keys = query<typeof KeyList.Encoded>("/v1/keys")

const pathOf = (id: string) => `/v1/keys/${encodeURIComponent(id)}`

export interface KeyInput {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly requires_approval: boolean
  readonly purpose?: KeyJson["purpose"]
  /** Seconds; null for a key that does not expire. */
  readonly expires_in: number | null
}

export const createKey = (body: KeyInput) => request<typeof KeyWithSecret.Encoded>("POST", "/v1/keys", { body })

export const rotateKey = (id: string) =>
  request<typeof KeyWithSecret.Encoded>("POST", `${pathOf(id)}/rotate`, { body: {} })

export const revokeKey = (id: string) => request<typeof OneKey.Encoded>("DELETE", pathOf(id))
