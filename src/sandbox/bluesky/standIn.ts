import { Duration, Effect, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import { pdsError, pdsLimitHeaders } from "./responses.ts"
import { contentId, readPutRecord } from "./record.ts"
import type { SandboxAccount, SandboxPost } from "../state/entry.ts"
import type { Decision, SandboxStore } from "../state/store.ts"
import { type StandIn, type StandInRequest, standInRoute } from "../standInRoute.ts"
import { makeWindowLimit } from "../windowLimit.ts"

const limitWindow = Duration.hours(1)
const pointsOfPut = 2

/** The account whose session a request has. */
export const sessionOf = (
  store: SandboxStore,
  request: StandInRequest,
  then: (account: SandboxAccount) => Effect.Effect<HttpServerResponse.HttpServerResponse>
) => {
  const authorization = request.headers["authorization"]
  if (authorization === undefined) return Effect.succeed(pdsError(401, "AuthMissing"))
  return Effect.flatMap(
    store.read((state, now) => state.access("bluesky", authorization.replace(/^Bearer /, ""), now)),
    (account) => {
      if (account === undefined) return Effect.succeed(pdsError(400, "InvalidToken", "Token could not be verified"))
      return account === "expired" ? Effect.succeed(pdsError(400, "ExpiredToken", "Token has expired")) : then(account)
    }
  )
}

/** The part of a PDS's repository that the service uses. `pointsPerHour` is what one account may write; a put costs two. */
export const pdsStandIn = (standIn: StandIn, store: SandboxStore, pointsPerHour: number) => {
  const writing = makeWindowLimit(pointsPerHour, Duration.toMillis(limitWindow))

  const take = (account: SandboxAccount, body: string) => {
    const read = readPutRecord(body)
    if (Result.isFailure(read)) return Effect.succeed(pdsError(400, "InvalidRequest", read.failure))
    const { collection, record, repo, rkey, swapRecord } = read.success
    if (repo !== account.id && repo !== account.username) return Effect.succeed(pdsError(401))
    const cid = contentId(record)
    const uri = `at://${account.id}/${collection}/${rkey}`
    return store.transact((state, now): Decision<HttpServerResponse.HttpServerResponse> => {
      const current = state.post("bluesky", account.id, rkey)
      if (current?.record?.cid === cid) {
        return { happens: [], answer: HttpServerResponse.jsonUnsafe({ uri, cid, validationStatus: "valid" }) }
      }
      const swaps = swapRecord === undefined || swapRecord === (current?.record?.cid ?? null)
      if (!swaps) {
        return { happens: [], answer: pdsError(400, "InvalidSwap", `Record was at ${current?.record?.cid ?? "null"}`) }
      }
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
        record: { cid, value: record }
      }
      const commit = { cid: contentId({ ...record, text: `${cid} ${now}` }), rev: rkey }
      return { happens: [post], answer: HttpServerResponse.jsonUnsafe({ uri, cid, commit, validationStatus: "valid" }) }
    })
  }

  const put = (request: StandInRequest) =>
    sessionOf(store, request, (account) => {
      const standing = writing.use(account.id, pointsOfPut, request.now)
      return Effect.map(
        standing.allowed ? take(account, request.body) : Effect.succeed(pdsError(429)),
        HttpServerResponse.setHeaders(pdsLimitHeaders(standing, Duration.toSeconds(limitWindow)))
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

  return [
    standInRoute(standIn, "publish", "POST", "/xrpc/com.atproto.repo.putRecord", put),
    standInRoute(standIn, "timeline", "GET", "/xrpc/com.atproto.repo.getRecord", get)
  ]
}
