import { Effect, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import { NeedsReauthorization, Unavailable } from "../../domain/publishing/platformError.ts"
import type { Call } from "../call.ts"
import { carryOut } from "../carryOut.ts"
import type { LinkedinConfig } from "./config.ts"
import { unanswered } from "../outcome.ts"
import type { AccountAccess, PlatformAdapter } from "../PlatformClient.ts"
import { end, fail, type OpenAccess, type RequestStep, type Step } from "../steps.ts"
import { readAccess } from "./credentials.ts"
import { detailOf, isRefusedToken, isTooFresh } from "./problem.ts"

type Version = Pick<LinkedinConfig, "version">

const withHeaders = (request: HttpClientRequest.HttpClientRequest, { version }: Version, accessToken: string) =>
  HttpClientRequest.bearerToken(request, accessToken).pipe(
    HttpClientRequest.setHeaders({ "linkedin-version": version, "x-restli-protocol-version": "2.0.0" })
  )

/** If LinkedIn itself refuses the access token, it has not carried out the request. */
export const authorized = <A, E>(
  config: Version,
  access: OpenAccess,
  request: HttpClientRequest.HttpClientRequest,
  shows: RequestStep<A, E>["shows"],
  next: RequestStep<A, E>["next"]
): Step<A, E | NeedsReauthorization | Unavailable> => {
  const sendWith = (
    { credentials }: OpenAccess,
    then: (grantedAt: ReturnType<typeof readAccess>) => RequestStep<A, E | NeedsReauthorization | Unavailable>["next"]
  ): Step<A, E | NeedsReauthorization | Unavailable> => {
    const read = readAccess(credentials)
    if (Result.isFailure(read)) return fail(read.failure)
    const sent = withHeaders(request, config, read.success.accessToken)
    return { _tag: "Request", request: sent, through: "configured", shows, next: then(read) }
  }
  return sendWith(access, (read) => (answer, now) => {
    if (Result.isFailure(answer) || !isRefusedToken(answer.success)) return next(answer, now)
    if (Result.isSuccess(read) && isTooFresh(answer.success, read.success.grantedAt, now)) {
      return fail(
        new Unavailable({ message: `LinkedIn does not accept the fresh access yet: ${detailOf(answer.success)}` })
      )
    }
    // A person may have connected the account again in the meantime.
    return { _tag: "Renew", next: (renewed) => sendWith(renewed, () => next) }
  })
}

/** Without a refresh token, which LinkedIn gives only to some partners, access ends for good. */
const renew: PlatformAdapter["renew"] = () =>
  new NeedsReauthorization({
    message: "LinkedIn's access lasts 60 days, and has ended or was taken back; connect the account again"
  })

export const makeLinkedinApi = (config: LinkedinConfig, call: Call) => {
  const calls = { configured: call, guarded: call }
  const send = (account: AccountAccess, request: HttpClientRequest.HttpClientRequest) =>
    carryOut({ calls, renew }, account, (access) =>
      authorized(config, access, request, "nothing", (answer) => end(answer))
    )
  return {
    calls,
    renew,
    send,
    /** Sends a request that shows nothing and can be repeated. */
    sendIdly: (account: AccountAccess, request: HttpClientRequest.HttpClientRequest) =>
      Effect.catchTag(send(account, request), "NoResponse", (none) => Effect.fail(unanswered(none)))
  }
}

export type LinkedinApi = ReturnType<typeof makeLinkedinApi>
