import { authorizedBy, type RespondTo, type StandInResponse } from "../../../sandbox/endpoint.ts"
import type { ErrorFormat } from "../../../sandbox/outcome.ts"

const usual: Readonly<Record<number, string>> = {
  400: "badRequest",
  401: "authError",
  403: "forbidden",
  404: "videoNotFound",
  409: "conflict",
  429: "rateLimitExceeded",
  500: "internalError",
  503: "backendError"
}

export const youtubeError = (
  status: number,
  reason = usual[status] ?? "internalError",
  message = reason
): StandInResponse => ({
  status,
  body: { error: { code: status, message, errors: [{ message, domain: "youtube.api", reason }] } }
})

export const respond = (status: number, body: object): StandInResponse => ({ status, body })

const allowed = authorizedBy("youtube", () => youtubeError(401, "authError", "Invalid Credentials"))

export const authorized = (respondTo: RespondTo) =>
  allowed((account, request, state) =>
    (account.closed ?? null) === null
      ? respondTo(account, request, state)
      : youtubeError(403, "authenticatedUserAccountClosed", "The channel is closed")
  )

export const youtubeErrorFormat: ErrorFormat = { error: youtubeError, resetHeaders: () => ({}) }
