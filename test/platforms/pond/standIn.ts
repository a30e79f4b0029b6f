import { createHash } from "node:crypto"
import { Duration, Effect, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { html } from "../../../src/domain/html.ts"
import type { StandIn } from "../../../src/sandbox/StandIn.ts"
import { bearerToken, publishCall, standInRoute, type StandInRequest } from "../../../src/sandbox/standInRoute.ts"
import { handleOf } from "../../../src/sandbox/state/names.ts"
import type { SandboxAccount, SandboxPost } from "../../../src/sandbox/state/entry.ts"
import { strictBody } from "../../../src/sandbox/strictBody.ts"
import { encodeTokens, type PondConfig } from "./api.ts"
import { pondRules } from "./rules.ts"

const readDrop = strictBody(
  Schema.Struct({
    key: Schema.NonEmptyString,
    text: Schema.String,
    net: Schema.optionalKey(Schema.String),
    reply: Schema.optionalKey(Schema.String)
  })
)
const readPictures = strictBody(Schema.Struct({ pictures: Schema.Array(Schema.String) }))
const readLogin = strictBody(Schema.Struct({ name: Schema.NonEmptyString, croak: Schema.Literal("sandbox") }))

/** How long the pond knots a net, lets a drop with a net sink in, and has no page for a reply: in milliseconds. */
const usualTime = 1_000
const netLifetime = Duration.toMillis(Duration.hours(1))

const respond = (status: number, body: object) => HttpServerResponse.jsonUnsafe(body, { status })
const usual: Readonly<Record<number, string>> = { 401: "stale", 429: "slow_down", 503: "full" }
const croak = (status: number, name = usual[status] ?? "no", because = name) =>
  respond(status, { croak: name, because })

const digest = (bytes: string | Uint8Array, encoding: "hex" | "base64url") =>
  createHash("sha256").update(bytes).digest(encoding)

/** A drop as the pond tells of it. */
const shownDrop = (drop: SandboxPost, now: number) => ({
  key: drop.id,
  text: drop.text,
  state: now < (drop.shownFrom ?? 0) ? "sinking" : "shown",
  page: drop.reply === undefined || now >= drop.at + usualTime ? `/drops/${drop.id}` : null
})

/** Stands in for the pond. Its state has the name that the sandbox gives it. */
export const pondStandIn = {
  platform: "pond" as const,
  account: (seed) => ({ id: digest(seed, "hex").slice(0, 12), username: handleOf(seed) }),
  credentials: ({ access, refresh }) => encodeTokens({ access, refresh }),
  renewal: { lifetime: Duration.toMillis(Duration.days(30)), reusableFor: Duration.toMillis(Duration.hours(1)) },
  errorFormat: { error: croak, resetHeaders: () => ({}) },
  routes: (context) => {
    const { codes, files, platform, register, store, tokens } = context
    const nets = new Map<string, { readonly pictures: ReadonlyArray<string>; readonly readyAt: number }>()
    /** The drops that the pond sinks for good, by their accounts and keys. */
    const sunk = new Map<string, { readonly text: string; readonly at: number }>()

    const asAccount =
      (
        then: (account: SandboxAccount, request: StandInRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>
      ) =>
      (request: StandInRequest) =>
        Effect.flatMap(
          store.read((state, now) => state.accountByToken(platform, bearerToken(request) ?? "", now)),
          (account) => (typeof account === "object" ? then(account, request) : Effect.succeed(croak(401)))
        )

    const keep = asAccount((_, { bytes }) =>
      Effect.sync(() => {
        const id = digest(bytes, "hex")
        files.put(id, { bytes, contentType: "image/png" })
        return respond(201, { picture: id })
      })
    )
    const netAt = (id: string, now: number) => {
      const net = nets.get(id)
      return net === undefined || now >= net.readyAt + netLifetime ? undefined : net
    }
    const knot = asAccount((_, { body, now }) =>
      Effect.sync(() => {
        const read = readPictures(body)
        if (Result.isFailure(read)) return croak(400, "unreadable")
        const { pictures } = read.success
        if (!pictures.every((picture) => files.get(picture) !== undefined)) return croak(400, "no_picture")
        const id = digest(`${pictures.join()} ${now}`, "hex")
        nets.set(id, { pictures, readyAt: now + usualTime })
        return respond(201, { net: { id, ready: false } })
      })
    )
    const showNet = asAccount((_, { now, params: { id = "" } }) =>
      Effect.sync(() => {
        const net = netAt(id, now)
        return net === undefined ? croak(404, "no_net") : respond(200, { net: { id, ready: now >= net.readyAt } })
      })
    )

    const accept = asAccount(({ displayName, id: accountId, username }, { body, now, oddity }) => {
      const read = readDrop(body)
      if (Result.isFailure(read)) return Effect.succeed(croak(400, "unreadable"))
      const { key, net: netId, reply, text } = read.success
      if (!pondRules.measure(text).valid) return Effect.succeed(croak(400, "too_long"))
      const net = netId === undefined ? undefined : netAt(netId, now)
      if (netId !== undefined && (net === undefined || now < net.readyAt)) return Effect.succeed(croak(400, "no_net"))
      const ordered = oddity?.kind === "processing" ? oddity : undefined
      const sinksFor = ordered?.ms ?? (net === undefined && ordered === undefined ? undefined : usualTime)
      const drop: SandboxPost = {
        _tag: "Post",
        platform,
        accountId,
        username,
        displayName,
        id: key,
        at: now,
        text,
        replySettings: null,
        record: null,
        media: (net?.pictures ?? []).map((id) => ({ id, type: "image", alt: "" })),
        ...(reply === undefined ? {} : { reply: { root: reply, parent: reply } }),
        ...(sinksFor === undefined ? {} : { shownFrom: now + sinksFor })
      }
      const sunkKey = `${accountId} ${key}`
      return store.transact((state) => {
        const isTaken = state.post(platform, accountId, key) !== undefined || now < (sunk.get(sunkKey)?.at ?? 0)
        if (isTaken) return { entries: [], result: croak(409, "key_taken") }
        const isLost = ordered?.error !== undefined
        if (isLost) sunk.set(sunkKey, { text, at: now + usualTime })
        const result = respond(sinksFor === undefined ? 201 : 202, { drop: shownDrop(drop, now) })
        return { entries: isLost ? [] : [drop], result }
      })
    })
    const show = asAccount(({ id }, { now, params: { key = "" } }) =>
      store.read((state) => {
        const drop = state.post(platform, id, key)
        if (drop !== undefined) return respond(200, { drop: shownDrop(drop, now) })
        const lost = sunk.get(`${id} ${key}`)
        if (lost === undefined) return croak(404, "no_drop")
        return respond(200, {
          drop: { key, text: lost.text, state: now < lost.at ? "sinking" : "sunk", page: null }
        })
      })
    )
    const remove = asAccount(({ id: accountId }, { params: { key: id = "" } }) =>
      store.transact(() => ({ entries: [{ _tag: "Deleted", platform, accountId, id }], result: respond(200, {}) }))
    )

    const granted = ({ access, refresh }: { readonly access: string; readonly refresh: string }) =>
      respond(200, { access, refresh })
    const grant = Effect.fnUntraced(function* ({ body, now }: StandInRequest) {
      const form = new URLSearchParams(body)
      const refresh = form.get("refresh")
      if (refresh !== null) {
        const renewed = yield* tokens.renew(refresh)
        return typeof renewed === "string" ? croak(400, "ended") : granted(renewed)
      }
      const pending = codes.take(form.get("code") ?? "", now)
      return pending?.challenge === digest(form.get("verifier") ?? "", "base64url")
        ? granted(yield* tokens.issue(pending.account))
        : croak(400, "ended")
    })
    const logIn = Effect.fnUntraced(function* ({ body }: StandInRequest) {
      const login = readLogin(body)
      return Result.isFailure(login)
        ? croak(401, "banned")
        : granted(yield* tokens.issue(yield* register(login.success.name)))
    })
    const revoke = (request: StandInRequest) => Effect.as(tokens.revoke(bearerToken(request) ?? ""), respond(200, {}))
    const me = asAccount(({ id, username }) => Effect.succeed(respond(200, { id, username })))

    return [
      standInRoute(context, publishCall, "POST", "/pond/drops", accept),
      standInRoute(context, "timeline", "GET", "/pond/drops/:key", show),
      standInRoute(context, "delete", "DELETE", "/pond/drops/:key", remove),
      standInRoute(context, "upload", "POST", "/pond/pictures", keep),
      standInRoute(context, "upload", "POST", "/pond/nets", knot),
      standInRoute(context, "upload", "GET", "/pond/nets/:id", showNet),
      standInRoute(context, "identity", "GET", "/pond/me", me),
      standInRoute(context, "session", "POST", "/pond/tokens", grant),
      standInRoute(context, "session", "POST", "/pond/login", logIn),
      standInRoute(context, "session", "POST", "/pond/revoke", revoke)
    ]
  },
  postPath: ({ id }) => `/drops/${id}`,
  identity: ({ id }) => id,
  text: ({ text }) => [html`${text}`],
  consent: { path: "/consent", clientId: "sandbox", allows: html`It could drop texts into the pond.` },
  hint: html`The pond's page for its consent has a button.`,
  example: ({ number }) => ({ id: `example-${number}` })
} satisfies Omit<StandIn, "platform"> & { readonly platform: "pond" }

/** The pond at its stand-in. */
export const standInConfig = (url: string, webUrl: string): PondConfig => ({
  apiUrl: `${url}/pond`,
  webUrl,
  clientId: pondStandIn.consent.clientId
})
