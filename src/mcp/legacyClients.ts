import { Predicate } from "effect"
import { member, routingHeaders, versionMember } from "./routingHeaders.ts"

const currentRevision = "2026-07-28"

/** Earlier revisions, the latest first. Their clients begin with `initialize`. */
const legacyRevisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const

const capabilitiesMember = "io.modelcontextprotocol/clientCapabilities"

type Json = Readonly<Record<string, unknown>>

/** Needs no server: `body` is the response. */
export interface Answered {
  readonly _tag: "Answered"
  readonly status: number
  readonly body?: Json
}

export type Translation =
  | { readonly _tag: "Current" }
  | { readonly _tag: "Translated"; readonly body: Json; readonly headers: Readonly<Record<string, string>> }
  | Answered

interface ServerDescription {
  readonly serverInfo: Json
  readonly instructions: string
}

const current: Translation = { _tag: "Current" }

/** Refuses numbers that are not safe integers, because JavaScript would change them. */
const isId = (id: unknown): id is string | number => typeof id === "string" || Number.isSafeInteger(id)

const answer = (id: unknown, result: Json): Translation => ({
  _tag: "Answered",
  status: 200,
  body: { jsonrpc: "2.0", id, result }
})

export const protocolError = (
  status: number,
  code: number,
  message: string,
  { data, id }: { readonly id?: unknown; readonly data?: Json } = {}
): Answered => ({
  _tag: "Answered",
  status,
  body: { jsonrpc: "2.0", id: isId(id) ? id : null, error: { code, message, ...(data && { data }) } }
})

const initialize = (id: unknown, params: unknown, { instructions, serverInfo }: ServerDescription): Translation => {
  const asked = member(params, "protocolVersion")
  const protocolVersion = legacyRevisions.find((revision) => revision === asked) ?? legacyRevisions[0]
  return answer(id, { protocolVersion, capabilities: { tools: {} }, serverInfo, instructions })
}

/**
 * Answers methods that this server has nothing for. Some clients ask for prompts although `initialize` announces none,
 * and give up after an error. Effect's server answers for resources in the same way. A client of the current revision
 * expects the error.
 */
const answerEmpty = ({ id, method }: Json): Translation | undefined => {
  switch (method) {
    case "prompts/list":
      return answer(id, { prompts: [] })
    case "ping":
    case "logging/setLevel":
      return answer(id, {})
    default:
      return undefined
  }
}

const translate = (body: Json): Translation => {
  const { params } = body
  if (params !== undefined && !Predicate.isObject(params)) {
    return protocolError(200, -32_602, "The parameters have to be an object", body)
  }
  if (body["method"] === "tools/call" && typeof member(params, "name") !== "string") {
    return protocolError(200, -32_602, "The parameters lack the name of a tool", body)
  }
  const meta = member(params, "_meta")
  const translated = {
    ...body,
    params: {
      ...params,
      _meta: { ...(Predicate.isObject(meta) ? meta : {}), [versionMember]: currentRevision, [capabilitiesMember]: {} }
    }
  }
  return { _tag: "Translated", body: translated, headers: routingHeaders(translated) }
}

const saidRevision = (body: unknown): unknown => member(member(member(body, "params"), "_meta"), versionMember)

/** True for a client of an earlier revision. The version header tells; without it, the body does. */
const isLegacy = (version: string | undefined, body: unknown): boolean =>
  version === undefined ? saidRevision(body) === undefined : legacyRevisions.some((revision) => revision === version)

/** The answer to an invalid message or a notification. Undefined for valid requests. */
const checkMessage = (body: Json): Translation | undefined => {
  const { id, jsonrpc, method } = body
  if (jsonrpc !== "2.0") return protocolError(400, -32_600, 'The member jsonrpc has to be "2.0"', body)
  if (id !== undefined && !isId(id)) {
    return protocolError(400, -32_600, "The id has to be a string or a whole number that is a safe integer")
  }
  if (typeof method !== "string") {
    // A message with an id but no method is a response. It is ignored, because this server sends no requests.
    return id === undefined
      ? protocolError(400, -32_600, "The message has no method")
      : { _tag: "Answered", status: 202 }
  }
  if (id !== undefined) return undefined
  return method.startsWith("notifications/")
    ? { _tag: "Answered", status: 202 }
    : protocolError(400, -32_600, "The request has no id, so nothing was done")
}

/**
 * Serves clients of earlier revisions without sessions, which these revisions do not require of servers. Answers
 * `initialize` and methods without effect directly, and translates everything else into a request of the current
 * revision.
 */
export const translateRequest = (
  body: unknown,
  version: string | undefined,
  server: ServerDescription
): Translation => {
  if (Array.isArray(body)) return protocolError(400, -32_600, "Send one message at a time; batches are not supported")
  if (!Predicate.isObject(body)) return protocolError(400, -32_600, "The message has to be an object")
  const message: Json = { ...body }
  const { id, method, params } = message
  const checked = checkMessage(message)
  if (checked !== undefined) return checked
  if (!isLegacy(version, body)) {
    // Effect's server compares the header with the body. Its error names the revisions that it serves.
    if (version === undefined || version === currentRevision || saidRevision(body) !== undefined) return current
    const data = { supported: [currentRevision, ...legacyRevisions], requested: version }
    return protocolError(400, -32_022, `The revision ${version} is not supported`, { id, data })
  }
  if (method === "initialize") return initialize(id, params, server)
  return answerEmpty(message) ?? translate(message)
}
