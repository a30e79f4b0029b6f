import { Duration, Result } from "effect"
import { endpoint, publishCall, type Respond, type RespondTo } from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { deletionOf, postOf, type SandboxAccount } from "../../../sandbox/state/entry.ts"
import { limited } from "../../../sandbox/windowLimit.ts"
import { type Blobs, pdsBlobs } from "./blobs.ts"
import { recordId } from "./contentIds.ts"
import { shownEmbed } from "./embed.ts"
import { readDeletion, readPutRecord } from "./record.ts"
import { pdsError, pdsLimitHeaders } from "./responses.ts"
import { authorized, closedOn } from "./sessions.ts"

const limitWindow = Duration.hours(1)
const pointsPerHour = 5000
const pointsPerPut = 2

const isOwn = (repo: string, { id, username }: SandboxAccount) => repo === id || repo === username

const get: Respond = ({ query }, state) => {
  const post = state.post("bluesky", query.get("repo") ?? "", query.get("rkey") ?? "")
  const uri = `at://${query.get("repo")}/${query.get("collection")}/${query.get("rkey")}`
  return post?.record === undefined || post.record === null
    ? pdsError(400, "RecordNotFound", `Could not locate record: ${uri}`)
    : { status: 200, body: { uri, cid: post.record.cid, value: post.record.value } }
}

/** The posts that everybody sees, and, like a PDS, an account as well. */
const getPosts: Respond = ({ query }, state) => ({
  status: 200,
  body: {
    posts: query.getAll("uris").flatMap((uri) => {
      const [, , repo = "", collection, rkey = ""] = uri.split("/")
      const post = collection === "app.bsky.feed.post" ? state.post("bluesky", repo, rkey) : undefined
      if (post?.record === undefined || post.record === null) return []
      const { displayName, record, username } = post
      return [{ uri, cid: record.cid, author: { did: repo, handle: username, displayName }, record: record.value }]
    })
  }
})

/** Deletes a post. Like a PDS, answers the same if there is no such record. */
const remove: RespondTo = (account, { body }, state) => {
  const read = readDeletion(body)
  if (Result.isFailure(read)) return pdsError(400, "InvalidRequest", read.failure)
  const { repo, rkey } = read.success
  if (!isOwn(repo, account)) return pdsError(401)
  const post = state.post("bluesky", account.id, rkey)
  return {
    status: 200,
    body: {},
    entries: post === undefined ? [] : [deletionOf(post)]
  }
}

const status: Respond = (request, state) => {
  const account = state.account("bluesky", request.query.get("did") ?? "")
  if (account === undefined) return pdsError(400, "RepoNotFound", "Could not find repo")
  const closed = closedOn(account, request)
  const body = { did: account.id, active: closed === undefined, ...(closed === undefined ? {} : { status: closed }) }
  return { status: 200, body }
}

export const pdsRepository = ({ limit }: StandInMemory, blobs: Blobs) => {
  const put: RespondTo = (account, request, state) => {
    if (request.oddity?.kind === "lost_blobs") blobs.loseTemporary()
    const read = readPutRecord(request.body)
    if (Result.isFailure(read)) return pdsError(400, "InvalidRequest", read.failure)
    const { collection, record, repo, rkey, swapRecord } = read.success
    if (!isOwn(repo, account)) return pdsError(401)
    const cid = recordId(record)
    const uri = `at://${account.id}/${collection}/${rkey}`
    const current = state.post("bluesky", account.id, rkey)
    const stored = { uri, cid, validationStatus: "valid" }
    if (current?.record?.cid === cid) return { status: 200, body: stored }
    const mayReplace = swapRecord === undefined || swapRecord === (current?.record?.cid ?? null)
    if (!mayReplace) return pdsError(400, "InvalidSwap", `Record was at ${current?.record?.cid ?? "null"}`)
    if (request.oddity?.kind === "forgotten_files") blobs.forget(account.id, record.embed)
    const refused = blobs.keep(account.id, record.embed)
    if (refused !== undefined) return refused
    const { reply } = record
    const post = postOf(account, {
      id: rkey,
      at: request.now,
      text: record.text,
      ...(reply === undefined ? {} : { reply: { root: reply.root.uri, parent: reply.parent.uri } }),
      ...(record.embed === undefined ? {} : shownEmbed(record.embed)),
      record: { cid, value: record }
    })
    const commit = { cid: recordId({ ...record, text: `${cid} ${request.now}` }), rev: rkey }
    return { status: 200, body: { ...stored, commit }, entries: [post] }
  }

  const limitedPut = limited(
    {
      limit: limit(pointsPerHour),
      windowMillis: Duration.toMillis(limitWindow),
      points: pointsPerPut,
      headers: (use) => pdsLimitHeaders(use, Duration.toSeconds(limitWindow)),
      refusal: pdsError(429)
    },
    put
  )

  return [
    endpoint(publishCall, "POST", "/xrpc/com.atproto.repo.putRecord", authorized(limitedPut)),
    pdsBlobs(blobs),
    endpoint("delete", "POST", "/xrpc/com.atproto.repo.deleteRecord", authorized(remove)),
    endpoint("timeline", "GET", "/xrpc/com.atproto.repo.getRecord", get),
    endpoint("identity", "GET", "/xrpc/app.bsky.feed.getPosts", getPosts),
    endpoint("timeline", "GET", "/xrpc/com.atproto.sync.getRepoStatus", status)
  ]
}
