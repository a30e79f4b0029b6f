import { isRecord } from "./json.ts"
import type { Operation } from "./operation.ts"
import { type CallOptions, checkCall } from "./options.ts"

type Members = Readonly<Record<string, unknown>>

export interface Call {
  readonly verb: string
  readonly path: string
  readonly query: Members
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly options: CallOptions
}

const own = new Set(["signal", "timeoutMillis", "maxRetries"])

const isRevised = (value: unknown): value is { readonly revision: number; readonly status: string } =>
  isRecord(value) && typeof value["revision"] === "number" && typeof value["status"] === "string"

const valueText = (value: unknown, name: string): string => {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value)
  throw new TypeError(`${name} has to be a text, a number or a time`)
}

const headerText = (value: unknown, name: string): string =>
  isRevised(value) ? `"${value.revision}-${value.status}"` : valueText(value, name)

const pathWith = (path: string, values: ReadonlyArray<unknown>): string => {
  let index = 0
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[index++]
    // An empty segment, or a segment of dots, would change the path.
    if (typeof value !== "string" || /^\.{0,2}$|\p{Surrogate}/u.test(value))
      throw new TypeError(`${name} has to be an id`)
    return encodeURIComponent(value)
  })
}

const checkOptions = (options: Members, { headers, path, verb }: Operation) => {
  const unknown = Object.keys(options).find((name) => !own.has(name) && !headers.has(name))
  if (unknown !== undefined) throw new TypeError(`${verb} ${path} takes no ${unknown}`)
  return checkCall<CallOptions>(options)
}

/** `args` are the ids in the path, then the body, the query and the options. */
export const readCall = (operation: Operation, args: ReadonlyArray<unknown>): Call => {
  const { body, hasQuery, headers, path, verb } = operation
  const count = path.split("{").length - 1
  const rest = args.slice(count)
  const sent = body === undefined ? undefined : (rest.shift() ?? {})
  const query = hasQuery ? rest.shift() : undefined
  const [options = {}] = rest
  if (!isRecord(options)) throw new TypeError("The options of a call are an object")
  const pairs = Array.from(headers, ([option, header]) => [header, options[option]] as const)
  return {
    verb,
    path: pathWith(path, args),
    query: isRecord(query) ? query : {},
    headers: Object.fromEntries(
      pairs.flatMap(([header, value]) => (value == null ? [] : [[header, headerText(value, header)] as const]))
    ),
    body: sent,
    options: checkOptions(options, operation)
  }
}

export const queryText = (query: Members): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value == null ? [] : [[name, valueText(value, name)] as const]
  )
  const text = new URLSearchParams(Object.fromEntries(pairs)).toString()
  return text === "" ? "" : `?${text}`
}
