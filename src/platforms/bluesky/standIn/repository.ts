import { Duration, Effect, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import type { SandboxAccount, SandboxPost } from "../../../sandbox/state/entry.ts"
import type { Decision } from "../../../sandbox/state/store.ts"
import type { StandInContext } from "../../../sandbox/StandIn.ts"
import { publishCall, type StandInRequest, standInRoute } from "../../../sandbox/standInRoute.ts"
import { makeWindowLimit } from "../../../sandbox/windowLimit.ts"
import { type Blobs, pdsBlobs } from "./blobs.ts"
import { recordId } from "./contentIds.ts"
import { shownEmbed } from "./embed.ts"
import { readDeletion, readPutRecord } from "./record.ts"
import { pdsError, pdsLimitHeaders } from "./responses.ts"
import { authorized, closedOn } from "./sessions.ts"

const limitWindow = Duration.hours(1)
const pointsPerHour = 5000
const pointsPerPut = 2

export const pdsRepository = (context: StandInContext, blobs: Blobs) => {
  const { store } = context
  const writeLimit = makeWindowLimit(context.limit(pointsPerHour), Duration.toMillis(limitWindow))

  const accept = (account: SandboxAccount, body: string) => {
    const read = readPutRecord(body)
    if (Result.isFailure(read)) return Effect.succeed(pdsError(400, "InvalidRequest", read.failure))
    const { collection, record, repo, rkey, swapRecord } = read.success
    if (repo !== account.id && repo !== account.username) return Effect.succeed(pdsError(401))
    const cid = recordId(record)
    const uri = `at://${account.id}/${collection}/${rkey}`
    return store.transact((state, now): Decision<HttpServerResponse.HttpServerResponse> => {
      const current = state.post("bluesky", account.id, rkey)
      if (current?.record?.cid === cid) {
        return { entries: [], result: HttpServerResponse.jsonUnsafe({ uri, cid, validationStatus: "valid" }) }
      }
      const mayReplace = swapRecord === undefined || swapRecord === (current?.record?.cid ?? null)
      if (!mayReplace) {
        return { entries: [], result: pdsError(400, "InvalidSwap", `Record was at ${current?.record?.cid ?? "null"}`) }
      }
      const refused = blobs.keep(account.id, record.embed)
      if (refused !== undefined) return { entries: [], result: refused }
      const { displayName, id: accountId, username } = account
      const post: SandboxPost = {
        _tag: "Post",
        platform: "bluesky",
        accountId,
        username,
        displayName,
        id: rkey,
        at: now,
        text: record.text,
        replySettings: null,
        ...(record.reply === undefined
          ? {}
          : { reply: { root: record.reply.root.uri, parent: record.reply.parent.uri } }),
        ...(record.embed === undefined ? {} : shownEmbed(record.embed)),
        record: { cid, value: record }
      }
      const commit = { cid: recordId({ ...record, text: `${cid} ${now}` }), rev: rkey }
      return { entries: [post], result: HttpServerResponse.jsonUnsafe({ uri, cid, commit, validationStatus: "valid" }) }
    })
  }

  const put = (request: StandInRequest) =>
    authorized(store, request, (account) => {
      if (request.oddity?.kind === "lost_blobs") blobs.loseTemporary()
      const limit = writeLimit.use(account.id, pointsPerPut, request.now)
      return Effect.map(
        limit.allowed ? accept(account, request.body) : Effect.succeed(pdsError(429)),
        HttpServerResponse.setHeaders(pdsLimitHeaders(limit, Duration.toSeconds(limitWindow)))
      )
    })

  const get = ({ query }: StandInRequest) =>
    store.read((state) => {
      const post = state.post("bluesky", query.get("repo") ?? "", query.get("rkey") ?? "")
      const uri = `at://${query.get("repo")}/${query.get("collection")}/${query.get("rkey")}`
      return post?.record === undefined || post.record === null
        ? pdsError(400, "RecordNotFound", `Could not locate record: ${uri}`)
        : HttpServerResponse.jsonUnsafe({ uri, cid: post.record.cid, value: post.record.value })
    })

  /** The same answer if there is no such record, as from a PDS. */
  const remove = (request: StandInRequest) =>
    authorized(store, request, (account) => {
      const read = readDeletion(request.body)
      if (Result.isFailure(read)) return Effect.succeed(pdsError(400, "InvalidRequest", read.failure))
      const { repo, rkey } = read.success
      if (repo !== account.id && repo !== account.username) return Effect.succeed(pdsError(401))
      return store.transact((state): Decision<HttpServerResponse.HttpServerResponse> => {
        const post = state.post("bluesky", account.id, rkey)
        return {
          entries:
            post === undefined ? [] : [{ _tag: "Deleted", platform: "bluesky", accountId: account.id, id: post.id }],
          result: HttpServerResponse.jsonUnsafe({})
        }
      })
    })

  const status = (request: StandInRequest) =>
    store.read((state) => {
      const account = state.account("bluesky", request.query.get("did") ?? "")
      if (account === undefined) return pdsError(400, "RepoNotFound", "Could not find repo")
      const closed = closedOn(account, request)
      return HttpServerResponse.jsonUnsafe({
        did: account.id,
        active: closed === undefined,
        ...(closed === undefined ? {} : { status: closed })
      })
    })

  return [
    standInRoute(context, publishCall, "POST", "/xrpc/com.atproto.repo.putRecord", put),
    pdsBlobs(context, blobs),
    standInRoute(context, "delete", "POST", "/xrpc/com.atproto.repo.deleteRecord", remove),
    standInRoute(context, "timeline", "GET", "/xrpc/com.atproto.repo.getRecord", get),
    standInRoute(context, "timeline", "GET", "/xrpc/com.atproto.sync.getRepoStatus", status)
  ]
}
