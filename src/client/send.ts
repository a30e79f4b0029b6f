import { type Answered, answered } from "./answers.ts"
import { type Call, queryText } from "./call.ts"
import { ApiError, ConnectionError, readProblem } from "./errors.ts"
import { isRecord, parse } from "./json.ts"
import type { Operation } from "./operation.ts"
import type { Settings } from "./options.ts"
import { nextAttempt } from "./retry.ts"
import { withTimeout } from "./timeout.ts"
import { formOf, isRepeatable, type SentBody, type UploadBody } from "./upload.ts"

/** The most `idempotency_in_flight` responses after which a call is repeated. */
const maxInFlight = 30

interface Prepared {
  readonly url: string
  readonly verb: string
  readonly headers: Headers
  readonly makeBody: () => Promise<SentBody | undefined>
  readonly idempotencyKey: string | null
  readonly isSafe: boolean
  readonly hasBody: boolean
}

const isUpload = (body: unknown): body is UploadBody => isRecord(body) && "file" in body

const prepareBody = (body: unknown, kind: Operation["body"]): Pick<Prepared, "makeBody" | "hasBody"> => {
  if (kind === undefined) return { makeBody: async () => undefined, hasBody: true }
  if (kind === "form") {
    if (!isUpload(body)) throw new TypeError("A form needs a file")
    return { makeBody: () => formOf(body), hasBody: isRepeatable(body) }
  }
  // The body is serialized now, so that a repetition sends the same text even if the object changes.
  const text = JSON.stringify(body)
  return { makeBody: async () => ({ body: text, headers: { "content-type": "application/json" } }), hasBody: true }
}

/** All attempts of a call share one idempotency key. */
const prepare = (operation: Operation, call: Call, { apiKey, base }: Settings): Prepared => {
  const headers = new Headers({ ...call.headers, accept: "application/json", authorization: `Bearer ${apiKey}` })
  if (operation.kind === "bytes") headers.set("accept", "*/*")
  if (operation.headers.has("idempotencyKey") && !headers.has("idempotency-key")) {
    headers.set("idempotency-key", crypto.randomUUID())
  }
  const idempotencyKey = headers.get("idempotency-key")
  const condition = headers.get("if-match") ?? "*"
  return {
    url: `${base}${call.path}${queryText(call.query)}`,
    verb: call.verb,
    headers,
    ...prepareBody(call.body, operation.body),
    idempotencyKey,
    // `If-Match: *` matches every revision, so a repetition could make a second change.
    isSafe: call.verb === "GET" || idempotencyKey !== null || condition !== "*"
  }
}

/** A proxy may repeat the API key in its answer. */
const withoutKey = (text: string, { apiKey }: Settings): string => text.replaceAll(apiKey, "(the key)")

const hasKey = (error: unknown, key: string): boolean =>
  error instanceof Error
    ? `${error.message} ${error.stack}`.includes(key) || hasKey(error.cause, key)
    : String(error).includes(key)

const causeOf = (error: unknown, { apiKey }: Settings): unknown =>
  hasKey(error, apiKey) ? new Error("What the request failed with shows the key, so it is left out") : error

const attempt = async (prepared: Prepared, settings: Settings, isBytes: boolean, signal: AbortSignal) => {
  const sent = await prepared.makeBody()
  const headers = new Headers(prepared.headers)
  for (const [name, value] of Object.entries(sent?.headers ?? {})) headers.set(name, value)
  const { body = null, duplex } = sent ?? {}
  const init: RequestInit & { duplex?: "half" } = { method: prepared.verb, headers, body, redirect: "manual", signal }
  const response = await settings.fetch(prepared.url, duplex === undefined ? init : { ...init, duplex })
  const isText = response.headers.get("content-type")?.startsWith("text/") === true
  const isStreamed = isBytes && !isText && (response.ok || response.status === 304)
  return { response, body: isStreamed ? response : parse(withoutKey(await response.text(), settings)) }
}

interface Outcome {
  readonly response: Response
  readonly body: unknown
}

/** False if the response can't be the service's. A network's log-in page may also be JSON with the status 200. */
const isOwn = (body: unknown, kind: Operation["kind"]): boolean => {
  if (!isRecord(body)) return false
  return kind === "pages" ? Array.isArray(body["data"]) : kind !== "data" || body["data"] !== undefined
}

const judge = (
  { body, response }: Outcome,
  { kind }: Operation,
  { idempotencyKey }: Prepared,
  { environment }: Settings
): Answered<unknown> | ApiError => {
  if ((response.ok && isOwn(body, kind)) || body instanceof Response) return answered(body, response)
  return readProblem({ response, body, idempotencyKey, now: environment.now() })
}

const failedAs = (error: ApiError | ConnectionError) =>
  error instanceof ApiError
    ? { status: error.status, code: error.code, retryAfter: error.retryAfter }
    : { retryAfter: null }

export const send = async (operation: Operation, call: Call, settings: Settings): Promise<Answered<unknown>> => {
  const { maxRetries = settings.maxRetries, signal } = call.options
  // Uploads have no time limit by default.
  const timeout = call.options.timeoutMillis ?? (operation.body === "form" ? undefined : settings.timeoutMillis)
  const prepared = prepare(operation, call, settings)
  const { environment } = settings
  let inFlight = 0
  for (let number = 0; ;) {
    signal?.throwIfAborted()
    const outcome = await withTimeout(timeout, signal, (ending) =>
      attempt(prepared, settings, operation.kind === "bytes", ending)
    ).catch((error: unknown) => {
      signal?.throwIfAborted()
      const { idempotencyKey } = prepared
      const cause = causeOf(error, settings)
      return new ConnectionError("The service can't be reached, or took too long", { cause, idempotencyKey })
    })
    const result = outcome instanceof ConnectionError ? outcome : judge(outcome, operation, prepared, settings)
    if (!(result instanceof Error)) return result
    const wait = nextAttempt(failedAs(result), prepared, { attempt: number, random: environment.random })
    // The service is still carrying out an earlier attempt, so this attempt does not count toward `maxRetries`.
    const isOwnInFlight = result instanceof ApiError && result.code === "idempotency_in_flight"
    if (isOwnInFlight) inFlight++
    const isLast = isOwnInFlight ? maxRetries === 0 || inFlight > maxInFlight : number >= maxRetries
    if (wait === undefined || isLast) throw result
    if (!isOwnInFlight) number++
    await environment.sleep(wait, signal)
  }
}
