import { type DateTime, Duration } from "effect"
import {
  DuplicateRefused,
  NeedsReauthorization,
  OutcomeUnknown,
  type PlatformError,
  Rejected,
  TooEarly,
  Unavailable,
  type UploadsGone
} from "../../domain/publishing/platformError.ts"
import type { PlatformResponse } from "../call.ts"
import {
  isAccountBlocked,
  isOverLimit,
  isPermissionMissing,
  isTheirFault,
  isTokenRefused,
  type Problem,
  problemOf
} from "../meta/problem.ts"
import { foreignAnswer, limitedUntil } from "../outcome.ts"

/** Facebook does not find an object, or does not show it to this token. Reads say so at random. */
export const isNotVisible = ({ code, subcode }: Problem) => code === 100 && subcode === 33

/** "Cannot be published consecutively", and the same of photos. */
const isDuplicate = ({ code, detail, subcode }: Problem) =>
  code === 506 || subcode === 1366051 || (code === 368 && /already posted/i.test(detail))

/** Facebook can't make a card of the link: it can't be read, is no web address, or is Facebook's own. */
export const isLinkRefused = ({ code, subcode }: Problem) =>
  code === 1500 || [code, subcode].some((each) => each === 1609005 || each === 1609008)

/** A photo is too large, or a video can't be used. Meta's own faults have the same code as the former. */
const isFileRefused = ({ code, subcode }: Problem) => subcode === 1366046 || code === 6000

/** Facebook does not say when a limit ends. */
const limitWait = Duration.minutes(30)

const limited = (response: PlatformResponse, detail: string, now: DateTime.Utc) =>
  limitedUntil({ platform: "Facebook", response, resetHeaders: [], defaultWait: limitWait, detail }, now)

const reconnect = ({ detail, subcode }: Problem) =>
  new NeedsReauthorization({
    message:
      subcode === 492
        ? `The person who connected this Page has no role on it any more (${detail}); connect it as somebody who has`
        : `Facebook does not accept the access to this Page (${detail}); connect it again`
  })

const lacksPermission = (detail: string) =>
  new NeedsReauthorization({
    message: `Facebook does not let the application post on this Page (${detail}). Connect it again, allow everything that is asked for, and check that this person may create content there`
  })

const blocked = (detail: string) =>
  new NeedsReauthorization({
    message: `Facebook blocks this Page or person (${detail}); open Facebook, do what it asks for, and connect the Page again`
  })

const duplicate = (detail: string) =>
  `Facebook refused this post because the Page has posted the same before (${detail}). Copy the post with another text`

const refusedFile = (detail: string) =>
  new Rejected({ message: `Facebook refused a file of this post: ${detail}. Copy the post with another file` })

/** The error of a request that publishes nothing, such as the creation of an unpublished post. */
export const refusedIdly = (response: PlatformResponse, now: DateTime.Utc): PlatformError => {
  const problem = problemOf(response)
  if (problem === undefined) return new Unavailable({ message: foreignAnswer("Facebook", response).message })
  const { detail } = problem
  if (isTokenRefused(problem)) return reconnect(problem)
  if (isDuplicate(problem)) return new Rejected({ message: duplicate(detail) })
  if (isOverLimit(problem)) return limited(response, detail, now)
  if (isAccountBlocked(problem)) return blocked(detail)
  if (isFileRefused(problem)) return refusedFile(detail)
  if (isTheirFault(problem)) return new Unavailable({ message: `Facebook answered ${problem.status}: ${detail}` })
  if (isPermissionMissing(problem)) return lacksPermission(detail)
  return new Rejected({ message: `Facebook refused this post: ${detail}` })
}

type RefusedPublish = PlatformError | DuplicateRefused | UploadsGone

/**
 * The error of a request that publishes. Posts were out although Facebook answered with a 500, so its own fault proves
 * nothing, and neither does an error that is not named here: the state of the post decides.
 */
export const refusedPublish = (response: PlatformResponse, now: DateTime.Utc): RefusedPublish => {
  const problem = problemOf(response)
  if (problem === undefined) return foreignAnswer("Facebook", response)
  const { detail, status } = problem
  if (status < 500) {
    if (isTokenRefused(problem)) return reconnect(problem)
    if (isDuplicate(problem)) return new DuplicateRefused({ message: duplicate(detail) })
    if (isOverLimit(problem)) return limited(response, detail, now)
    if (isAccountBlocked(problem)) return blocked(detail)
    if (isPermissionMissing(problem)) return lacksPermission(detail)
    if (isFileRefused(problem)) return refusedFile(detail)
    if (isNotVisible(problem)) return new TooEarly({ message: `Facebook does not find this post: ${detail}` })
  }
  return new OutcomeUnknown({ message: `Facebook answered ${status}: ${detail}` })
}
