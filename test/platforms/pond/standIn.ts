import { createHash } from "node:crypto"
import { Duration, Result, Schema } from "effect"
import { html } from "../../../src/domain/html.ts"
import {
  authorizedBy,
  bearerToken,
  endpoint,
  publishCall,
  type Respond,
  type RespondTo,
  type StandInResponse,
  strictBody
} from "../../../src/sandbox/endpoint.ts"
import type { StandIn } from "../../../src/sandbox/StandIn.ts"
import { deletionOf, type Entry, type Grant, postOf, type SandboxPost } from "../../../src/sandbox/state/entry.ts"
import { handleOf } from "../../../src/sandbox/state/names.ts"
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

/**
 * The pond takes this many milliseconds to knot a net, to let a drop with a net sink in, and to give a reply a page.
 */
const usualTime = 1_000
const netLifetime = Duration.toMillis(Duration.hours(1))

const respond = (status: number, body: object): StandInResponse => ({ status, body })
const usual: Readonly<Record<number, string>> = { 401: "stale", 429: "slow_down", 503: "full" }
const croak = (status: number, name = usual[status] ?? "no", because = name) =>
  respond(status, { croak: name, because })

const digest = (bytes: string | Uint8Array, encoding: "hex" | "base64url") =>
  createHash("sha256").update(bytes).digest(encoding)

/** A drop as the pond describes it. */
const shownDrop = (drop: SandboxPost, now: number) => ({
  key: drop.id,
  text: drop.text,
  state: now < (drop.shownFrom ?? 0) ? "sinking" : "shown",
  page: drop.reply === undefined || now >= drop.at + usualTime ? `/drops/${drop.id}` : null
})

/** The pond's stand-in. The sandbox names its state. */
export const pondStandIn = {
  platform: "pond" as const,
  account: (seed) => ({ id: digest(seed, "hex").slice(0, 12), username: handleOf(seed) }),
  credentials: ({ access, refresh }) => encodeTokens({ access, refresh }),
  renewal: { lifetime: Duration.toMillis(Duration.days(30)), reusableFor: Duration.toMillis(Duration.hours(1)) },
  errorFormat: { error: croak, resetHeaders: () => ({}) },
  endpoints: ({ codes, deriveAccount, files, platform, tokens }) => {
    const nets = new Map<string, { readonly pictures: ReadonlyArray<string>; readonly readyAt: number }>()
    /** The drops that the pond sinks for good, by account and key. */
    const sunk = new Map<string, { readonly text: string; readonly at: number }>()
    const authorized = authorizedBy(platform, () => croak(401))

    const keep: RespondTo = (_, { bytes }) => {
      const id = digest(bytes, "hex")
      files.put(id, { bytes, contentType: "image/png" })
      return respond(201, { picture: id })
    }
    const netAt = (id: string, now: number) => {
      const net = nets.get(id)
      return net === undefined || now >= net.readyAt + netLifetime ? undefined : net
    }
    const knot: RespondTo = (_, { body, now }) => {
      const read = readPictures(body)
      if (Result.isFailure(read)) return croak(400, "unreadable")
      const { pictures } = read.success
      if (!pictures.every((picture) => files.get(picture) !== undefined)) return croak(400, "no_picture")
      const id = digest(`${pictures.join()} ${now}`, "hex")
      nets.set(id, { pictures, readyAt: now + usualTime })
      return respond(201, { net: { id, ready: false } })
    }
    const showNet: RespondTo = (_, { now, params: { id = "" } }) => {
      const net = netAt(id, now)
      return net === undefined ? croak(404, "no_net") : respond(200, { net: { id, ready: now >= net.readyAt } })
    }

    const accept: RespondTo = (account, { body, now, oddity }, state) => {
      const read = readDrop(body)
      if (Result.isFailure(read)) return croak(400, "unreadable")
      const { key, net: netId, reply, text } = read.success
      if (!pondRules.measure(text).valid) return croak(400, "too_long")
      const net = netId === undefined ? undefined : netAt(netId, now)
      if (netId !== undefined && (net === undefined || now < net.readyAt)) return croak(400, "no_net")
      const ordered = oddity?.kind === "processing" ? oddity : undefined
      const sinksFor = ordered?.ms ?? (net === undefined && ordered === undefined ? undefined : usualTime)
      const drop = postOf(account, {
        id: key,
        at: now,
        text,
        media: (net?.pictures ?? []).map((id) => ({ id, type: "image", alt: "" })),
        ...(reply === undefined ? {} : { reply: { root: reply, parent: reply } }),
        ...(sinksFor === undefined ? {} : { shownFrom: now + sinksFor })
      })
      const sunkKey = `${account.id} ${key}`
      const isTaken = state.post(platform, account.id, key) !== undefined || now < (sunk.get(sunkKey)?.at ?? 0)
      if (isTaken) return croak(409, "key_taken")
      const isLost = ordered?.error !== undefined
      if (isLost) sunk.set(sunkKey, { text, at: now + usualTime })
      const response = respond(sinksFor === undefined ? 201 : 202, { drop: shownDrop(drop, now) })
      return { ...response, entries: isLost ? [] : [drop] }
    }
    const show: RespondTo = ({ id }, { now, params: { key = "" } }, state) => {
      const drop = state.post(platform, id, key)
      if (drop !== undefined) return respond(200, { drop: shownDrop(drop, now) })
      const lost = sunk.get(`${id} ${key}`)
      if (lost === undefined) return croak(404, "no_drop")
      return respond(200, { drop: { key, text: lost.text, state: now < lost.at ? "sinking" : "sunk", page: null } })
    }
    const remove: RespondTo = ({ id: accountId }, { params: { key: id = "" } }) => ({
      ...respond(200, {}),
      entries: [deletionOf({ platform, accountId, id })]
    })

    const granted = ({ access, refresh }: Grant, entries: ReadonlyArray<Entry>) => ({
      ...respond(200, { access, refresh }),
      entries
    })
    const grant: Respond = (request, state) => {
      const form = new URLSearchParams(request.body)
      const refresh = form.get("refresh")
      if (refresh !== null) {
        const { entries, result } = tokens.renew(state, refresh, request)
        return typeof result === "string" ? { ...croak(400, "ended"), entries } : granted(result, entries)
      }
      const pending = codes.take(form.get("code") ?? "", request.now)
      if (pending?.challenge !== digest(form.get("verifier") ?? "", "base64url")) return croak(400, "ended")
      const issued = tokens.issue(pending.account, request)
      return granted(issued, [issued])
    }
    const logIn: Respond = (request) => {
      const login = readLogin(request.body)
      if (Result.isFailure(login)) return croak(401, "banned")
      const account = deriveAccount(login.success.name)
      const issued = tokens.issue(account, request)
      return granted(issued, [account, issued])
    }
    const revoke: Respond = (request, state) => ({
      ...respond(200, {}),
      entries: tokens.revoke(state, bearerToken(request) ?? "").entries
    })
    const me: RespondTo = ({ id, username }) => respond(200, { id, username })

    return [
      endpoint(publishCall, "POST", "/pond/drops", authorized(accept)),
      endpoint("timeline", "GET", "/pond/drops/:key", authorized(show)),
      endpoint("delete", "DELETE", "/pond/drops/:key", authorized(remove)),
      endpoint("upload", "POST", "/pond/pictures", authorized(keep)),
      endpoint("upload", "POST", "/pond/nets", authorized(knot)),
      endpoint("upload", "GET", "/pond/nets/:id", authorized(showNet)),
      endpoint("identity", "GET", "/pond/me", authorized(me)),
      endpoint("session", "POST", "/pond/tokens", grant),
      endpoint("session", "POST", "/pond/login", logIn),
      endpoint("session", "POST", "/pond/revoke", revoke)
    ]
  },
  postPath: ({ id }) => `/drops/${id}`,
  identity: ({ id }) => id,
  text: ({ text }) => [html`${text}`],
  consent: { path: "/consent", clientId: "sandbox", allows: html`It could drop texts into the pond.` },
  hint: html`The pond's page for its consent has a button.`,
  example: ({ number }) => ({ id: `example-${number}` })
} satisfies Omit<StandIn, "platform"> & { readonly platform: "pond" }

/** The pond, connected to its stand-in. */
export const standInConfig = (url: string, webUrl: string): PondConfig => ({
  apiUrl: `${url}/pond`,
  webUrl,
  clientId: pondStandIn.consent.clientId
})
