import type { HttpRouter } from "effect/http"
import { Result, Schema } from "effect"
import type { Issue } from "../domain/errors.ts"
import { schemaIssues } from "../domain/issues.ts"
import type { LivePlatform } from "../domain/platform.ts"
import type { SandboxFile } from "./media/files.ts"
import type { Entry, SandboxAccount } from "./state/entry.ts"
import type { CallKind, Oddity } from "./state/faults.ts"
import type { State } from "./state/state.ts"
import type { FreshTokens } from "./state/tokens.ts"

export interface StandInRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: URLSearchParams
  /** Empty for large bodies, which are in `bytes`. */
  readonly body: string
  readonly bytes: Uint8Array
  readonly form: ReadonlyMap<string, string | Uint8Array>
  readonly now: number
  /** Random tokens for anything that the request creates. */
  readonly fresh: FreshTokens
  /** The files that the platform has fetched, by the URLs that `fetches` named. Absent if nothing was fetched. */
  readonly fetched?: ReadonlyMap<string, SandboxFile> | undefined
  /** The request's fault, if it does not prevent the request. */
  readonly oddity: Oddity | undefined
}

export interface StandInResponse {
  readonly status: number
  readonly body?: object | string
  readonly headers?: Readonly<Record<string, string>>
  /** The request's effects on the state. */
  readonly entries?: ReadonlyArray<Entry>
}

/** Pure but for the memory of its stand-in: no clock, no network and no randomness. */
export type Respond = (request: StandInRequest, state: State) => StandInResponse

export type RespondTo = (account: SandboxAccount, request: StandInRequest, state: State) => StandInResponse

export interface Endpoint {
  readonly call: CallKind | ((body: string) => CallKind)
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly path: HttpRouter.PathInput
  readonly respond: Respond
  /** The files that the platform fetches before it responds, as URLs in the body. */
  readonly fetches?: (body: string) => ReadonlyArray<string>
}

export const endpoint = (
  call: Endpoint["call"],
  method: Endpoint["method"],
  path: Endpoint["path"],
  respond: Respond,
  fetches?: NonNullable<Endpoint["fetches"]>
): Endpoint => ({ call, method, path, respond, ...(fetches === undefined ? {} : { fetches }) })

export const publishCall = (body: string): CallKind => (/"reply"\s*:/.test(body) ? "reply" : "publish")

export const bearerToken = ({ headers }: Pick<StandInRequest, "headers">): string | undefined =>
  headers["authorization"]?.replace(/^Bearer /, "")

export const authorizedBy =
  (platform: LivePlatform, refuse: (token: "missing" | "unknown" | "expired") => StandInResponse) =>
  (respond: RespondTo): Respond =>
  (request, state) => {
    const token = bearerToken(request)
    const account = token === undefined ? "missing" : (state.accountByToken(platform, token, request.now) ?? "unknown")
    return typeof account === "string" ? refuse(account) : respond(account, request, state)
  }

/** Refuses unknown members too. The failure lists every issue. */
export const strictBody = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.toCodecJson(schema)))
  return (body: string): Result.Result<S["Type"], ReadonlyArray<Issue>> =>
    Result.mapError(decode(body, { errors: "all", onExcessProperty: "error" }), schemaIssues)
}
