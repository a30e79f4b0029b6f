import type { IncomingMessage } from "node:http"
import { PostId } from "../../domain/ids.ts"
import { parseBearer } from "../middleware/authentication.ts"
import { isAmbiguous } from "../router/requestGuard.ts"
import { lastEntry } from "../router/trustedProxy.ts"

/** A read that the fast path can serve; see README.md. */
export interface FastRead {
  readonly key: string
  readonly path: string
  /** Null for the first page of posts. */
  readonly id: PostId | null
  readonly limit?: number
}

const onePost = /^\/v1\/posts\/([\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12})$/
const firstPage = /^(\/v1\/posts)(?:\?limit=([1-9]\d{0,2}))?$/

type Target = Omit<FastRead, "key">

const findTarget = (url: string): Target | undefined => {
  const id = onePost.exec(url)?.[1]
  if (id !== undefined) return { path: url, id: PostId.make(id, { disableChecks: true }) }
  const [, path, limit] = firstPage.exec(url) ?? []
  if (path === undefined) return undefined
  return { path, id: null, ...(limit === undefined ? {} : { limit: Number(limit) }) }
}

const single = (value: string | ReadonlyArray<string> | undefined) => (typeof value === "string" ? value : undefined)

/** The host that a proxy says the client named; undefined if the client did not use HTTPS. */
const forwardedHost = ({ headers }: IncomingMessage): string | undefined => {
  const proto = single(headers["x-forwarded-proto"])
  const host = single(headers["x-forwarded-host"])
  if (proto !== undefined && lastEntry(proto) !== "https") return undefined
  return host === undefined ? headers.host : lastEntry(host)
}

export const findFastRead = (incoming: IncomingMessage, isProxied: boolean): FastRead | undefined => {
  const { headers, httpVersion, method, url = "" } = incoming
  const { authorization } = headers
  if (method !== "GET" || authorization === undefined || httpVersion !== "1.1") return undefined
  if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) return undefined
  const target = findTarget(url)
  if (target === undefined) return undefined
  const host = isProxied ? forwardedHost(incoming) : headers.host
  if (host === undefined || isAmbiguous(incoming, host, url)) return undefined
  return { ...target, key: parseBearer(authorization) }
}
