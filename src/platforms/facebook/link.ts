import { Effect, Option, Redacted, Schema, Struct } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { ConnectedAccount } from "../../domain/accounts/integration.ts"
import {
  NeedsReauthorization,
  type PlatformError,
  Rejected,
  Unavailable
} from "../../domain/publishing/platformError.ts"
import { type Call, makeCall, type PlatformResponse, readResponse } from "../call.ts"
import type { AccountOffer, ConsentLink } from "../Link.ts"
import { problemOf } from "../meta/problem.ts"
import { failAt, orUnavailable } from "../outcome.ts"
import { displayName } from "../platformText.ts"
import { Token, webAddress } from "../syntax.ts"
import { formTo, readFrom } from "./api.ts"
import type { FacebookConfig } from "./config.ts"
import { decodeAccess, encodeAccess } from "./credentials.ts"
import { refusedIdly } from "./problem.ts"
import { MetaId } from "../meta/syntax.ts"

export const requestedScopes = ["pages_show_list", "pages_read_engagement", "pages_manage_posts"]

const readToken = readResponse(Schema.Struct({ access_token: Token }))

const Page = Schema.Struct({
  id: MetaId,
  access_token: Schema.optionalKey(Token),
  name: Schema.optionalKey(Schema.Unknown),
  username: Schema.optionalKey(Schema.Unknown),
  tasks: Schema.optionalKey(Schema.Unknown),
  picture: Schema.optionalKey(Schema.Unknown)
})
type Page = typeof Page.Type
const decodePage = Schema.decodeUnknownOption(Page)
const readPage = readResponse(Page)
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

const pageFields = "id,name,username,picture{url}"

const isUsername = Schema.is(Schema.String.check(Schema.isPattern(/^[A-Za-z0-9.]{1,64}$/)))
const isPicture = Schema.is(Schema.Struct({ data: Schema.Struct({ url: Schema.String }) }))
const isTasks = Schema.is(Schema.Array(Schema.String))
const isId = Schema.is(MetaId)

/** Each needs a request. Somebody with more Pages can tick fewer on Facebook's page. */
const maxPages = 50
const maxLists = 3

/** The task without which a person may not post on a Page. */
const mayPost = ({ tasks }: Page) => !isTasks(tasks) || tasks.includes("CREATE_CONTENT")

const profileOf = ({ id, name, picture, username }: Page) => ({
  accountId: id,
  // The Page's address has its id if the Page has chosen no name for it.
  username: isUsername(username) ? username : id,
  displayName: displayName(name),
  avatarUrl: isPicture(picture) ? webAddress(picture.data.url) : null
})

const facebookCall = Effect.map(HttpClient.HttpClient, (client) => makeCall(client, "Facebook"))

const unreadable = (response: PlatformResponse) =>
  failAt((now): PlatformError => {
    const problem = problemOf(response)
    if (problem === undefined) {
      return new Unavailable({ message: `Facebook did not name this person's Pages (status ${response.status})` })
    }
    const error = refusedIdly(response, now)
    return error._tag === "Rejected" ? new Unavailable({ message: error.message }) : error
  })

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

const requireSecret = ({ clientSecret }: FacebookConfig) =>
  clientSecret === null
    ? Effect.fail(new Rejected({ message: "FACEBOOK_CLIENT_SECRET: required to connect Facebook Pages" }))
    : Effect.succeed(Redacted.value(clientSecret))

export const makeFacebookLink = (config: FacebookConfig): ConsentLink => {
  const requestToken = Effect.fnUntraced(function* (call: Call, form: Readonly<Record<string, string>>) {
    const request = formTo(config, "/oauth/access_token", {
      client_id: config.clientId,
      client_secret: yield* requireSecret(config),
      ...form
    })
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

  const listed = Effect.fn("Facebook.listPages")(function* (call: Call, token: string) {
    const pages: Array<Page> = []
    let after: string | undefined
    for (let list = 0; list < maxLists; list++) {
      const request = readFrom(config, "/me/accounts", {
        fields: `${pageFields},access_token,tasks`,
        limit: "100",
        ...(after === undefined ? {} : { after })
      })
      const response = yield* orUnavailable(call(HttpClientRequest.bearerToken(request, token)))
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
    const secret = yield* requireSecret(config)
    const request = readFrom(config, "/debug_token", { input_token: token })
    // Not traced: Facebook takes the token in the URL here, and a trace would have it.
    const response = yield* orUnavailable(
      call(HttpClientRequest.bearerToken(request, `${config.clientId}|${secret}`))
    ).pipe(Effect.withTracerEnabled(false))
    const read = response.status === 200 ? readGrant(response) : Option.none()
    if (Option.isNone(read)) return yield* unreadable(response)
    const { granular_scopes = [], scopes } = read.value.data
    const targets = granular_scopes.flatMap(({ scope, target_ids = [] }) =>
      requestedScopes.includes(scope) ? target_ids : []
    )
    return { scopes, targets: new Set(targets.filter((id) => isId(id))) }
  })

  /** A Page that the list leaves out, such as one of a business. None if it gives no token. */
  const fetchLeftOut = Effect.fnUntraced(function* (call: Call, token: string, id: string) {
    const request = readFrom(config, `/${id}`, { fields: `${pageFields},access_token` })
    const response = yield* orUnavailable(call(HttpClientRequest.bearerToken(request, token)))
    return response.status === 200 ? readPage(response) : Option.none()
  })

  const finish: ConsentLink["finish"] = Effect.fn("Facebook.finishLink")(function* (grant) {
    const call = yield* facebookCall
    const token = yield* userToken(call, grant)
    const { scopes, targets } = yield* grantOf(call, token)
    const lacking = requestedScopes.filter((scope) => !scopes.includes(scope))
    if (lacking.length > 0) {
      return yield* new Rejected({
        message: `Facebook did not get your permission for ${lacking.join(", ")}. Connect again, and allow everything that Facebook asks for`
      })
    }
    const found = yield* listed(call, token)
    const missing = [...targets].filter((id) => found.every((page) => page.id !== id)).slice(0, maxPages)
    const leftOut = yield* Effect.forEach(missing, (id) => fetchLeftOut(call, token, id), { concurrency: 5 })
    const accounts = [...found, ...leftOut.flatMap(Option.toArray)]
      .filter(mayPost)
      .flatMap((page): ReadonlyArray<ConnectedAccount> =>
        page.access_token === undefined
          ? []
          : [
              {
                ...profileOf(page),
                serviceUrl: null,
                credentials: encodeAccess({ accessToken: page.access_token, scopes })
              }
            ]
      )
    if (accounts.length === 0) {
      return yield* new Rejected({
        message:
          "Facebook gave access to no Page on which this person may create content. Choose a Page on Facebook's page, or ask its administrator for the task"
      })
    }
    return { accounts } satisfies AccountOffer
  })

  return {
    kind: "consent",
    hasApplication: config.clientId !== "",
    authorizeUrl: ({ redirectUri, state }) => {
      const query = new URLSearchParams({
        response_type: "code",
        client_id: config.clientId,
        redirect_uri: redirectUri,
        scope: requestedScopes.join(","),
        // Without this, Facebook does not ask again for what the person once declined.
        auth_type: "rerequest",
        state
      })
      return `${config.webUrl}/${config.version}/dialog/oauth?${query.toString()}`
    },
    finish,
    profile: Effect.fn("Facebook.profile")(function* ({ accountId, credentials }) {
      const call = yield* facebookCall
      const { accessToken } = yield* decodeAccess(credentials)
      const request = readFrom(config, `/${accountId}`, { fields: pageFields })
      const response = yield* orUnavailable(call(HttpClientRequest.bearerToken(request, accessToken)))
      const page = response.status === 200 ? readPage(response) : Option.none()
      if (Option.isNone(page)) return yield* unreadable(response)
      return Struct.omit(profileOf(page.value), ["accountId"])
    }),
    // A Page's token can't end its access, and a person's would end that of all their Pages. People can remove the
    // application in Facebook's settings, under Business integrations.
    revoke: () => Effect.void
  }
}
