import { perPlatform } from "../../support/platforms/perPlatform.ts"
import { AppBskyFeedPost } from "@atproto/api"
import { Context, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { TargetId } from "../../../src/domain/ids.ts"
import { makeBlueskyAdapter } from "../../../src/platforms/bluesky/adapter.ts"
import { linkBluesky } from "./link.ts"
import { connectBluesky } from "../../../src/platforms/bluesky/live.ts"
import { BlueskySession } from "../../../src/platforms/bluesky/session.ts"
import { makeBlueskyTrial } from "../../../src/platforms/bluesky/trial.ts"
import { postCollection } from "../../../src/platforms/bluesky/postRecord.ts"
import { makeCall } from "../../../src/platforms/call.ts"
import type { ConnectedAccount } from "../../../src/domain/accounts/integration.ts"
import { live } from "../../../src/platforms/live.ts"
import type { Prepared } from "../../../src/platforms/PlatformClient.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { type CuttingRelay, cuttingRelay } from "../cuttingRelay.ts"
import { allPosts, plan } from "../../support/database/fixtures.ts"
import { Pds, type PdsAccount, type PdsOptions } from "../../support/pds/pds.ts"
import { publishing } from "../publishing.ts"
import { storedAccount } from "../world.ts"
import { GuardedHttpClient } from "../../../src/outbound/GuardedHttpClient.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"

export const putRecord = "com.atproto.repo.putRecord"
export const refreshSession = "com.atproto.server.refreshSession"
export const resolveHandle = "com.atproto.identity.resolveHandle"
export const createSession = "com.atproto.server.createSession"

/** The Bluesky adapter as the service creates it, and the trial that goes with it. */
const makeAdapter = (defaultServiceUrl: string) =>
  Effect.gen(function* () {
    const configured = makeCall(yield* HttpClient.HttpClient, "Bluesky")
    const guarded = makeCall(yield* GuardedHttpClient, "Bluesky")
    const config = { defaultServiceUrl, webUrl: "https://bsky.app" }
    const calls = { configured, guarded }
    return { adapter: makeBlueskyAdapter(config, calls), trial: makeBlueskyTrial(config, calls) }
  })

const StoredSession = Schema.fromJsonString(BlueskySession)

type TokenChange = Partial<Record<"accessJwt" | "refreshJwt", (token: string) => string>>

/** Changes the tokens in stored credentials. */
export const changeTokens = (credentials: Redacted.Redacted, change: TokenChange) => {
  const session = Schema.decodeSync(StoredSession)(Redacted.value(credentials))
  return Redacted.make(
    Schema.encodeSync(StoredSession)({
      ...session,
      accessJwt: change.accessJwt?.(session.accessJwt) ?? session.accessJwt,
      refreshJwt: change.refreshJwt?.(session.refreshJwt) ?? session.refreshJwt
    })
  )
}

const PreparedKey = Schema.Struct({ rkey: Schema.String })

/** The record key of a prepared post. */
export const preparedKey = (prepared: Prepared): string => Schema.decodeUnknownSync(PreparedKey)(prepared).rkey

let targets = 0

/** A different target id for each call. */
export const nextTarget = (): TargetId => {
  targets += 1
  return TargetId.make(`01a1fc17-0000-7000-8000-${targets.toString(16).padStart(12, "0")}`)
}

/** The posts of an account by the PDS's own list, ascending by key. */
const listPosts = ({ agent, did }: PdsAccount) =>
  Effect.promise(async () => {
    const found: Array<{ readonly uri: string; readonly value: AppBskyFeedPost.Record }> = []
    for (let cursor: string | undefined, more = true; more;) {
      const { data } = await agent.com.atproto.repo.listRecords({
        repo: did,
        collection: postCollection,
        limit: 100,
        reverse: true,
        ...(cursor === undefined ? {} : { cursor })
      })
      for (const { uri, value } of data.records) {
        const read = AppBskyFeedPost.validateRecord(value)
        if (!read.success) throw read.error
        found.push({ uri, value: read.value })
      }
      cursor = data.cursor
      more = cursor !== undefined
    }
    return found
  })

/** A post of an account. */
export const getPost = ({ agent, did }: PdsAccount, rkey: string) =>
  Effect.promise(() => agent.getPost({ repo: did, rkey }))

/** The error with which the PDS refuses a post; empty if it accepts it. */
export const createPostError = ({ agent, did }: PdsAccount, record: Omit<AppBskyFeedPost.Record, "$type">) =>
  Effect.promise(() =>
    agent.com.atproto.repo
      .createRecord({ repo: did, collection: postCollection, record: { ...record, $type: postCollection } })
      .then(
        () => "",
        (error: unknown) => String(error)
      )
  )

/** A connected account, which is reached through a relay, and what tests do with it. */
const makeConnected = Effect.fn(function* (
  pds: Pds["Service"],
  relay: CuttingRelay,
  person: PdsAccount,
  connected: ConnectedAccount
) {
  const { account, renewed, stored } = yield* storedAccount(connected)
  const { adapter, trial } = yield* makeAdapter(pds.url)
  const prepareAs = (targetId: TargetId, text: string) => adapter.prepare({ targetId, text, settings: {} }, account)
  const prepare = (text: string) => prepareAs(nextTarget(), text)
  const publish = (text: string) => Effect.flatMap(prepare(text), (prepared) => sendPost(adapter, prepared, account))
  const earlier = new Set((yield* listPosts(person)).map(({ uri }) => uri))
  const posts = Effect.map(listPosts(person), (all) => all.filter(({ uri }) => !earlier.has(uri)))
  return { pds, relay, person, connected, account, stored, renewed, adapter, trial, prepareAs, prepare, publish, posts }
})

/** A new account on a PDS, connected with its app password. Slow. */
export const makeMember = Effect.fn(function* (pds: Pds["Service"], name: string) {
  const relay = yield* cuttingRelay(pds.url)
  const person = yield* pds.createAccount(name)
  const connected = yield* linkBluesky({
    service: relay.url,
    identifier: person.handle,
    password: person.appPassword
  })
  return yield* makeConnected(pds, relay, person, connected)
})

/** The account that the tests of a file share. */
class Shared extends Context.Service<
  Shared,
  Pick<Effect.Success<ReturnType<typeof makeMember>>, "person" | "connected">
>()("test/Shared") {}

/** A real PDS with an account, and the service's HTTP client. */
export const pdsWorld = (options: PdsOptions = {}) =>
  Layer.effect(
    Shared,
    Effect.flatMap(Pds, (pds) => makeMember(pds, "grace"))
  ).pipe(Layer.provideMerge(Layer.merge(Pds.layer(options), platformHttpLayer)))

/** The shared account as it was first connected, behind its own relay. Its earlier posts are not listed. */
export const member = Effect.gen(function* () {
  const pds = yield* Pds
  const { connected, person } = yield* Shared
  const relay = yield* cuttingRelay(pds.url)
  return yield* makeConnected(pds, relay, person, { ...connected, serviceUrl: relay.url })
})

/** The publisher, with accounts on a real PDS. */
export const publishingWorld = publishing(
  Effect.map(Pds, ({ url }) => ({
    ...perPlatform((platform) => live[platform].connectStandIn("http://127.0.0.1:9", "https://x.com")),
    bluesky: connectBluesky({ defaultServiceUrl: url, webUrl: "https://bsky.app" })
  })),
  Pds.layer()
)

/** An account in its own workspace. */
export const makeTeam = Effect.fn(function* (name: string) {
  const { integrations, posts, workspaces } = yield* Repo
  const account = yield* makeMember(yield* Pds, name)
  const { id: workspace } = yield* workspaces.create(name)
  const reconnect = (credentials: Redacted.Redacted) =>
    integrations.connect(workspace, { platform: "bluesky", ...account.connected, credentials })
  const { id: integration } = yield* reconnect(account.connected.credentials)
  /** Changes the stored tokens, and returns the credentials that are stored then. */
  const changeStored = Effect.fnUntraced(function* (change: TokenChange) {
    const changed = changeTokens(yield* integrations.credentials(integration), change)
    yield* reconnect(changed)
    return changed
  })
  const schedule = Effect.fnUntraced(function* (content: string, seconds = 0) {
    const at = DateTime.add(yield* DateTime.now, { seconds })
    return yield* posts.create(workspace, { ...plan(at, ["bluesky"]), content })
  })
  const stored = allPosts(workspace)
  return { ...account, workspace, integration, changeStored, schedule, stored }
})
