import { type DateTime, Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { ConnectedAccount } from "../../domain/accounts/integration.ts"
import {
  NeedsReauthorization,
  type PlatformError,
  Rejected,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import { type Call, makeCall, type PlatformResponse, readResponse } from "../call.ts"
import type { ConsentLink } from "../Link.ts"
import { failAt, orUnavailable } from "../outcome.ts"
import { Token } from "../syntax.ts"
import { formTo, readFrom } from "./api.ts"
import type { MetaApplication } from "./config.ts"
import type { Form } from "./dialect.ts"
import { problemOf } from "./problem.ts"
import { MetaId } from "./syntax.ts"

const readToken = readResponse(Schema.Struct({ access_token: Token }))

const Page = Schema.Struct({
  id: MetaId,
  access_token: Schema.optionalKey(Token),
  name: Schema.optionalKey(Schema.Unknown),
  username: Schema.optionalKey(Schema.Unknown),
  tasks: Schema.optionalKey(Schema.Unknown),
  picture: Schema.optionalKey(Schema.Unknown),
  instagram_business_account: Schema.optionalKey(Schema.Unknown)
})
export type Page = typeof Page.Type
const decodePage = Schema.decodeUnknownOption(Page)
export const readPage = readResponse(Page)
const readPages = readResponse(
  Schema.Struct({
    data: Schema.Array(Schema.Unknown),
    paging: Schema.optionalKey(
      Schema.Struct({
        next: Schema.optionalKey(Schema.String),
        cursors: Schema.optionalKey(Schema.Struct({ after: Schema.optionalKey(Schema.String) }))
      })
    )
  })
)
const readGrant = readResponse(
  Schema.Struct({
    data: Schema.Struct({
      scopes: Schema.Array(Schema.String),
      granular_scopes: Schema.optionalKey(
        Schema.Array(
          Schema.Struct({ scope: Schema.String, target_ids: Schema.optionalKey(Schema.Array(Schema.String)) })
        )
      )
    })
  })
)

const isTasks = Schema.is(Schema.Array(Schema.String))
const isId = Schema.is(MetaId)

/** Each needs a request. Somebody with more Pages can tick fewer on Facebook's page. */
const maxPages = 50
const maxLists = 3

/** The task without which a person may not post on a Page, nor on its Instagram account. */
const mayPost = ({ tasks }: Page) => !isTasks(tasks) || tasks.includes("CREATE_CONTENT")

export const facebookCall = Effect.map(HttpClient.HttpClient, (client) => makeCall(client, "Facebook"))

/** A request to the Graph API with a token. */
export const withToken = (
  { apiUrl, version }: Pick<MetaApplication, "apiUrl" | "version">,
  request: HttpClientRequest.HttpClientRequest,
  token: string
) => request.pipe(HttpClientRequest.prependUrl(`${apiUrl}/${version}`), HttpClientRequest.bearerToken(token))

const refusedToken = (response: PlatformResponse): PlatformError => {
  const problem = problemOf(response)
  if (problem === undefined) {
    return new Unavailable({ message: `Facebook did not give access (status ${response.status})` })
  }
  const { code, detail } = problem
  if (code === 101 || /client[_ ]secret/i.test(detail)) {
    return new Unavailable({
      message: `Facebook does not accept this application (${detail}); check FACEBOOK_CLIENT_ID and FACEBOOK_CLIENT_SECRET`
    })
  }
  return code === 100 || code === 190
    ? new NeedsReauthorization({ message: `Facebook did not accept the consent (${detail}); begin again` })
    : new Unavailable({ message: `Facebook did not give access: ${detail}` })
}

interface PageConsent {
  readonly application: MetaApplication
  /** Such as "Facebook Pages", in errors. */
  readonly accounts: string
  readonly scopes: ReadonlyArray<string>
  /** The fields of a Page. */
  readonly fields: string
  /** Undefined if the Page does not lead to an account. */
  readonly accountOf: (page: Page, access: PageAccess) => ConnectedAccount | undefined
  /** The reason if no Page leads to an account. */
  readonly nothing: string
  readonly refusedIdly: (response: PlatformResponse, now: DateTime.Utc) => PlatformError
}

interface PageAccess {
  /** Has no end. */
  readonly accessToken: string
  readonly scopes: ReadonlyArray<string>
}

/** Fails with the reason why a Page or its account can't be read. Reading refuses no post. */
export const unreadablePages = (
  { accounts, refusedIdly }: Pick<PageConsent, "accounts" | "refusedIdly">,
  response: PlatformResponse
) =>
  failAt((now): PlatformError => {
    if (problemOf(response) === undefined) {
      return new Unavailable({ message: `Facebook did not name this person's ${accounts} (status ${response.status})` })
    }
    const error = refusedIdly(response, now)
    return error._tag === "Rejected" ? new Unavailable({ message: error.message }) : error
  })

/** Facebook's consent page, on which a person ticks Pages. They give access to several accounts. */
export const makePageConsent = (
  consent: PageConsent
): Pick<ConsentLink, "kind" | "hasApplication" | "authorizeUrl" | "finish"> => {
  const { accountOf, accounts: kind, application, fields, nothing, scopes: requested } = consent
  const unreadable = (response: PlatformResponse) => unreadablePages(consent, response)

  const requireSecret =
    application.clientSecret === null
      ? Effect.fail(new Rejected({ message: `FACEBOOK_CLIENT_SECRET: required to connect ${kind}` }))
      : Effect.succeed(Redacted.value(application.clientSecret))

  const requestToken = Effect.fnUntraced(function* (call: Call, form: Form) {
    const request = formTo("/oauth/access_token", {
      client_id: application.clientId,
      client_secret: yield* requireSecret,
      ...form
    }).pipe(HttpClientRequest.prependUrl(`${application.apiUrl}/${application.version}`))
    const response = yield* orUnavailable(call(request))
    const token = response.status === 200 ? readToken(response) : Option.none()
    return Option.isSome(token) ? token.value.access_token : yield* refusedToken(response)
  })

  /** A token of about an hour, and with it one of 60 days. Only with the latter, Pages give tokens without end. */
  const userToken = Effect.fn("Facebook.userToken")(function* (
    call: Call,
    { code, redirectUri }: { readonly code: string; readonly redirectUri: string }
  ) {
    const short = yield* requestToken(call, { redirect_uri: redirectUri, code })
    return yield* requestToken(call, { grant_type: "fb_exchange_token", fb_exchange_token: short })
  })

  const ask = (call: Call, request: HttpClientRequest.HttpClientRequest, token: string) =>
    orUnavailable(call(withToken(application, request, token)))

  const listed = Effect.fn("Facebook.listPages")(function* (call: Call, token: string) {
    const pages: Array<Page> = []
    let after: string | undefined
    for (let list = 0; list < maxLists; list++) {
      const request = readFrom("/me/accounts", {
        fields: `${fields},access_token,tasks`,
        limit: "100",
        ...(after === undefined ? {} : { after })
      })
      const response = yield* ask(call, request, token)
      const read = response.status === 200 ? readPages(response) : Option.none()
      if (Option.isNone(read)) return yield* unreadable(response)
      const { data, paging } = read.value
      pages.push(...data.flatMap((page) => Option.toArray(decodePage(page))))
      after = paging?.next === undefined ? undefined : paging.cursors?.after
      if (after === undefined) break
    }
    return pages
  })

  /** The scopes and the Pages that the person allowed. No list of Pages means all of them. */
  const grantOf = Effect.fnUntraced(function* (call: Call, token: string) {
    const secret = yield* requireSecret
    // Not traced: Facebook takes the token in the URL here, and a trace would have it.
    const response = yield* ask(
      call,
      readFrom("/debug_token", { input_token: token }),
      `${application.clientId}|${secret}`
    ).pipe(Effect.withTracerEnabled(false))
    const read = response.status === 200 ? readGrant(response) : Option.none()
    if (Option.isNone(read)) return yield* unreadable(response)
    const { granular_scopes = [], scopes } = read.value.data
    // The targets of other scopes are no Pages.
    const targets = granular_scopes.flatMap(({ scope, target_ids = [] }) =>
      requested.includes(scope) && scope.startsWith("pages_") ? target_ids : []
    )
    return { scopes, targets: new Set(targets.filter((id) => isId(id))) }
  })

  /** A Page that the list leaves out, such as one of a business. None if it gives no token. */
  const fetchLeftOut = Effect.fnUntraced(function* (call: Call, token: string, id: string) {
    const response = yield* ask(call, readFrom(`/${id}`, { fields: `${fields},access_token` }), token)
    return response.status === 200 ? readPage(response) : Option.none()
  })

  return {
    kind: "consent",
    hasApplication: application.clientId !== "",
    authorizeUrl: ({ redirectUri, state }) => {
      const query = new URLSearchParams({
        response_type: "code",
        client_id: application.clientId,
        redirect_uri: redirectUri,
        scope: requested.join(","),
        // Without this, Facebook does not ask again for what the person once declined.
        auth_type: "rerequest",
        state
      })
      return `${application.consentUrl}/${application.version}/dialog/oauth?${query.toString()}`
    },
    finish: Effect.fn("Facebook.finishLink")(function* (grant) {
      const call = yield* facebookCall
      const token = yield* userToken(call, grant)
      const { scopes, targets } = yield* grantOf(call, token)
      const lacking = requested.filter((scope) => !scopes.includes(scope))
      if (lacking.length > 0) {
        return yield* new Rejected({
          message: `Facebook did not get your permission for ${lacking.join(", ")}. Connect again, and allow everything that Facebook asks for`
        })
      }
      const found = yield* listed(call, token)
      const missing = [...targets].filter((id) => found.every((page) => page.id !== id)).slice(0, maxPages)
      const leftOut = yield* Effect.forEach(missing, (id) => fetchLeftOut(call, token, id), { concurrency: 5 })
      const offered = [...found, ...leftOut.flatMap(Option.toArray)].filter(mayPost).flatMap((page) => {
        const { access_token: accessToken } = page
        return accessToken === undefined ? [] : (accountOf(page, { accessToken, scopes }) ?? [])
      })
      const accounts = Array.from(new Map(offered.map((account) => [account.accountId, account])).values())
      return accounts.length === 0 ? yield* new Rejected({ message: nothing }) : { accounts }
    })
  }
}
