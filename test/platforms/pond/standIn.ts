import { createHash } from "node:crypto"
import { Duration, Effect, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { html } from "../../../src/domain/html.ts"
import type { StandIn } from "../../../src/sandbox/StandIn.ts"
import { bearerToken, publishCall, standInRoute, type StandInRequest } from "../../../src/sandbox/standInRoute.ts"
import { handleOf } from "../../../src/sandbox/state/names.ts"
import type { SandboxAccount } from "../../../src/sandbox/state/entry.ts"
import { strictBody } from "../../../src/sandbox/strictBody.ts"
import { encodeTokens, type PondConfig } from "./api.ts"
import { pondRules } from "./rules.ts"

const readDrop = strictBody(
  Schema.Struct({
    key: Schema.NonEmptyString,
    text: Schema.String,
    pictures: Schema.Array(Schema.String),
    reply: Schema.optionalKey(Schema.String)
  })
)

const respond = (status: number, body: object) => HttpServerResponse.jsonUnsafe(body, { status })
const usual: Readonly<Record<number, string>> = { 401: "stale", 429: "slow_down", 503: "full" }
const croak = (status: number, name = usual[status] ?? "no", because = name) =>
  respond(status, { croak: name, because })

const digest = (bytes: string | Uint8Array, encoding: "hex" | "base64url") =>
  createHash("sha256").update(bytes).digest(encoding)

/** Stands in for the pond. Its state has the name that the sandbox gives it. */
export const pondStandIn = {
  platform: "pond" as const,
  account: (seed) => ({ id: digest(seed, "hex").slice(0, 12), username: handleOf(seed) }),
  credentials: ({ access, refresh }) => encodeTokens({ access, refresh }),
  renewal: { lifetime: Duration.toMillis(Duration.days(30)), reusableFor: Duration.toMillis(Duration.hours(1)) },
  config: (url, webUrl) => ({ apiUrl: url, webUrl, clientId: "sandbox" }),
  errorFormat: { error: croak, resetHeaders: () => ({}) },
  routes: (context) => {
    const { codes, files, platform, store, tokens } = context
    const asAccount =
      (
        then: (account: SandboxAccount, request: StandInRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>
      ) =>
      (request: StandInRequest) =>
        Effect.flatMap(
          store.read((state, now) => state.accountByToken(platform, bearerToken(request) ?? "", now)),
          (account) => (typeof account === "object" ? then(account, request) : Effect.succeed(croak(401)))
        )

    const accept = asAccount(({ displayName, id: accountId, username }, { body, now }) => {
      const read = readDrop(body)
      if (Result.isFailure(read)) return Effect.succeed(croak(400, "unreadable"))
      const { key, pictures, reply, text } = read.success
      if (!pondRules.measure(text).valid) return Effect.succeed(croak(400, "too_long"))
      if (!pictures.every((picture) => files.get(picture) !== undefined))
        return Effect.succeed(croak(400, "no_picture"))
      const replied = reply === undefined ? {} : { reply: { root: reply, parent: reply } }
      const media = pictures.map((id) => ({ id, type: "image" as const, alt: "" }))
      return store.transact((state) => {
        if (state.post(platform, accountId, key) !== undefined) return { entries: [], result: croak(409, "key_taken") }
        const account = { platform, accountId, username, displayName }
        const drop = { id: key, at: now, text, replySettings: null, media, record: null }
        return {
          entries: [{ _tag: "Post", ...account, ...drop, ...replied }],
          result: respond(201, { drop: { key, text } })
        }
      })
    })
    const show = asAccount(({ id }, { params }) =>
      store.read((state) => {
        const drop = state.post(platform, id, params["key"] ?? "")
        return drop === undefined ? croak(404, "no_drop") : respond(200, { drop: { key: drop.id, text: drop.text } })
      })
    )
    const remove = asAccount(({ id: accountId }, { params }) =>
      store.transact(() => ({
        entries: [{ _tag: "Deleted", platform, accountId, id: params["key"] ?? "" }],
        result: respond(200, {})
      }))
    )
    const keep = asAccount((_, { bytes }) =>
      Effect.sync(() => {
        const id = digest(bytes, "hex")
        files.put(id, { bytes, contentType: "image/png" })
        return respond(201, { picture: id })
      })
    )
    const grant = Effect.fnUntraced(function* ({ body, now }: StandInRequest) {
      const form = new URLSearchParams(body)
      const refresh = form.get("refresh")
      const pending = refresh === null ? codes.take(form.get("code") ?? "", now) : undefined
      const isProven = pending?.challenge === digest(form.get("verifier") ?? "", "base64url")
      if (refresh === null && pending !== undefined && isProven)
        return yield* Effect.map(tokens.issue(pending.account), granted)
      const renewed = refresh === null ? "unknown" : yield* tokens.renew(refresh)
      return typeof renewed === "string" ? croak(400, "ended") : granted(renewed)
    })
    const granted = ({ access, refresh }: { readonly access: string; readonly refresh: string }) =>
      respond(200, { access, refresh })
    const revoke = (request: StandInRequest) => Effect.as(tokens.revoke(bearerToken(request) ?? ""), respond(200, {}))

    return [
      standInRoute(context, publishCall, "POST", "/drops", accept),
      standInRoute(context, "timeline", "GET", "/drops/:key", show),
      standInRoute(context, "delete", "DELETE", "/drops/:key", remove),
      standInRoute(context, "upload", "POST", "/pictures", keep),
      standInRoute(
        context,
        "identity",
        "GET",
        "/me",
        asAccount(({ id, username }) => Effect.succeed(respond(200, { id, username })))
      ),
      standInRoute(context, "session", "POST", "/tokens", grant),
      standInRoute(context, "session", "POST", "/revoke", revoke)
    ]
  },
  postPath: ({ id }) => `/drops/${id}`,
  identity: ({ id }) => id,
  text: ({ text }) => [html`${text}`],
  consent: { path: "/consent", clientId: "sandbox", allows: html`It could drop texts into the pond.` },
  hint: html`The pond's page for its consent has a button.`,
  example: ({ number }) => ({ id: `example-${number}` })
} satisfies Omit<StandIn, "platform" | "config"> & {
  readonly platform: "pond"
  readonly config: (url: string, webUrl: string) => PondConfig
}
