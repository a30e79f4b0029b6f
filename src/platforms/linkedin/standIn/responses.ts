import { authorizedBy, type Respond, type RespondTo, type StandInResponse } from "../../../sandbox/endpoint.ts"
import type { ErrorFormat } from "../../../sandbox/outcome.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"

/** The only version that the stand-in serves. */
export const standInVersion = "202610"

const usual: Readonly<Record<number, readonly [code: string, message: string]>> = {
  400: ["ILLEGAL_ARGUMENT", "The request is not valid"],
  401: ["EXPIRED_ACCESS_TOKEN", "The token used in the request has expired"],
  403: ["ACCESS_DENIED", "Not enough permissions"],
  404: ["NOT_FOUND", "The resource does not exist"],
  409: ["CONFLICT", "Concurrent requests conflict; retry"],
  422: ["UNPROCESSABLE_ENTITY", "The entity can't be processed"],
  426: ["NONEXISTENT_VERSION", "Requested version is not active"],
  429: ["TOO_MANY_REQUESTS", "Resource level throttle limit for calls to this resource is reached"],
  500: ["INTERNAL_SERVER_ERROR", "Internal Server Error"],
  503: ["SERVICE_UNAVAILABLE", "Service Unavailable"]
}

const serviceErrorCodes: Readonly<Record<string, number>> = {
  INVALID_ACCESS_TOKEN: 65_600,
  REVOKED_ACCESS_TOKEN: 65_601,
  EXPIRED_ACCESS_TOKEN: 65_602,
  ACCESS_DENIED: 100,
  TOO_MANY_REQUESTS: 101
}

export const linkedinError = (
  status: number,
  code = usual[status]?.[0] ?? "ERROR",
  message = usual[status]?.[1] ?? code,
  inputErrors: ReadonlyArray<object> = []
): StandInResponse => {
  const { [code]: serviceErrorCode } = serviceErrorCodes
  return {
    status,
    body: {
      status,
      code,
      message,
      ...(serviceErrorCode === undefined ? {} : { serviceErrorCode }),
      ...(inputErrors.length === 0 ? {} : { errorDetails: { inputErrors } })
    }
  }
}

export const inputError = (code: string, description: string, more: object = {}) =>
  linkedinError(400, code, description, [{ code, description, ...more }])

/** A refusal by a limit has no headers. */
export const linkedinErrorFormat: ErrorFormat = { error: linkedinError, resetHeaders: () => ({}) }

/** Checks the token. Uploads of videos have none. */
export const makeAuthorized =
  ({ platform }: Pick<StandInMemory, "platform">) =>
  (respond: RespondTo): Respond =>
    authorizedBy(platform, (token) =>
      linkedinError(
        401,
        token === "expired" ? "EXPIRED_ACCESS_TOKEN" : "INVALID_ACCESS_TOKEN",
        "The token is not valid"
      )
    )((account, request, state) =>
      (account.closed ?? null) === null
        ? respond(account, request, state)
        : linkedinError(403, "ACCESS_DENIED", "Member is restricted")
    )

/** Every request to `/rest` names a version. */
export const versioned =
  (respond: Respond): Respond =>
  (request, state) => {
    const version = request.headers["linkedin-version"]
    if (version === undefined) return linkedinError(400, "VERSION_MISSING", "A version must be present")
    return version === standInVersion
      ? respond(request, state)
      : linkedinError(426, "NONEXISTENT_VERSION", `Requested version ${version} is not active`)
  }
