import type { AccountChange } from "../../api/accounts/accountProblems.ts"
import type {
  ConsentAuthorization,
  DecidedAccountChange,
  IntegrationList,
  OneIntegration,
  OneIntegrationDetails,
  OnePostingOptions
} from "../../api/accounts/integrationBodies.ts"
import type { AccountDecision } from "../../domain/accounts/accountChange.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { request } from "./client.ts"
import { query } from "./query.ts"

export type IntegrationJson = (typeof IntegrationList.Encoded)["data"][number]
export type AccountChangeJson = typeof AccountChange.Encoded

export type IntegrationsJson = typeof IntegrationList.Encoded

export const integrations = query<IntegrationsJson>("/v1/integrations")

const pathOf = (id: string) => `/v1/integrations/${encodeURIComponent(id)}`

/** Includes waiting posts and the time of the last publication. */
export const oneIntegration = (id: string) => query<typeof OneIntegrationDetails.Encoded>(pathOf(id))

/** The account's choices for a post at the moment. */
export const postingOptions = (id: string) => query<typeof OnePostingOptions.Encoded>(`${pathOf(id)}/posting-options`)

/** The address of the service's copy of the picture. Responds with a 404 until it is copied. */
export const avatarPath = ({ avatar_url, id }: IntegrationJson): string | undefined =>
  avatar_url === null ? undefined : `${pathOf(id)}/avatar`

export const connectByForm = (platform: LivePlatform, values: Readonly<Record<string, string>>) =>
  request<typeof OneIntegration.Encoded>("POST", `/v1/integrations/${platform}`, { body: values })

/** Returns the URL of a page on the platform, which redirects back to the accounts page. */
export const connectByConsent = (platform: LivePlatform) =>
  request<typeof ConsentAuthorization.Encoded>("POST", `/v1/integrations/${platform}`, {
    body: { return_to: `/accounts?from=${platform}` }
  })

/** Milliseconds. Moving all waiting posts may take two minutes. */
const decisionTimeout = 130_000

export const decide = ({ replaces, token }: AccountChangeJson, decision: typeof AccountDecision.Type) =>
  request<typeof DecidedAccountChange.Encoded>("POST", "/v1/integrations/decision", {
    body: { token, replaces, decision },
    timeoutMillis: decisionTimeout
  })

export const disconnect = (id: string) => request<unknown>("DELETE", pathOf(id))
