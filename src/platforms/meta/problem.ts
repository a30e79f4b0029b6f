import { Option, Schema } from "effect"
import { type PlatformResponse, readResponse } from "../call.ts"
import { platformDetail } from "../platformText.ts"

const readProblem = readResponse(
  Schema.Struct({
    error: Schema.Struct({
      message: Schema.String,
      type: Schema.NonEmptyString,
      code: Schema.Int,
      error_subcode: Schema.optionalKey(Schema.Int),
      error_user_msg: Schema.optionalKey(Schema.Unknown)
    })
  })
)

export interface Problem {
  readonly status: number
  readonly code: number
  readonly subcode: number | undefined
  readonly detail: string
}

/** Undefined if the response is not an error in the format of Meta's Graph API. */
export const problemOf = (response: PlatformResponse): Problem | undefined => {
  const read = response.status >= 400 ? readProblem(response) : Option.none()
  if (Option.isNone(read)) return undefined
  const { code, error_subcode, error_user_msg, message } = read.value.error
  const detail = platformDetail(typeof error_user_msg === "string" && error_user_msg !== "" ? error_user_msg : message)
  return { status: response.status, code, subcode: error_subcode, detail }
}

/** The access token is invalid: Meta checks it before anything else. */
export const isTokenRefused = ({ code }: Problem) => code === 190 || code === 102

/** The account's permission for something is missing, or was not used for 90 days. */
export const isPermissionMissing = ({ code }: Problem) => code === 3 || code === 10 || (code >= 200 && code <= 299)

/** Meta blocks the account until a person acts in the app. */
export const isAccountBlocked = ({ code, subcode }: Problem) =>
  code === 368 || subcode === 2207050 || subcode === 4279013 || code === 4279013

export const isOverLimit = ({ code, subcode }: Problem) =>
  ([4, 17, 32, 341, 613, 80001, 80002].includes(code) && subcode !== 2207051) ||
  code === 1390008 ||
  (code === 9 && subcode === 2207042)

/** Meta does not find a container or post, often because it is new. Reads say so at random too (100/33). */
export const isNotFound = ({ code, subcode }: Problem) =>
  code === 24 || (code === 100 && subcode === 33) || subcode === 4279009

/** Meta's own fault. */
export const isTheirFault = ({ code, status }: Problem) =>
  status >= 500 || status === 408 || code === 1 || code === 2 || code < 0
