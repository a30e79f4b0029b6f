import { type Environment, realEnvironment } from "./environment.ts"

export interface ClientOptions {
  /** Such as `https://posts.example.com`, without `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly fetch?: typeof fetch | undefined
  /** The time limit of each attempt; a minute by default. */
  readonly timeoutMillis?: number | undefined
  /** Up to 10; 2 by default. */
  readonly maxRetries?: number | undefined
  readonly environment?: Environment | undefined
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMillis?: number | undefined
  readonly maxRetries?: number | undefined
}

/** If the post has changed since this revision, the request is refused. */
export interface Revised {
  readonly revision: number
  readonly status: string
}

interface HeaderValues {
  readonly ifMatch: string | Revised
}

export type Takes<Name extends string> = {
  readonly [Each in Name]?: (Each extends keyof HeaderValues ? HeaderValues[Each] : string) | undefined
}

export interface Settings extends CallSettings {
  readonly base: string
  readonly apiKey: string
  readonly fetch: typeof fetch
  readonly environment: Environment
}

interface CallSettings {
  readonly timeoutMillis: number
  readonly maxRetries: number
}

/** A copy of the service's function, because the package imports nothing from the service. */
const isLoopback = (host: string) =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host)

/** Errors show neither the key nor the address, which may contain a password. */
const checkBase = (baseUrl: string): string => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new TypeError("baseUrl has to be an address with https://")
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new TypeError("baseUrl has to begin with https://, as the API key would be readable on the way")
  }
  if (url.username !== "" || url.password !== "") throw new TypeError("baseUrl can't have a user or a password")
  if (url.search !== "" || url.hash !== "") throw new TypeError("baseUrl can't have a query or a fragment")
  const base = `${url.origin}${url.pathname}`.replace(/\/+$/, "")
  if (base.endsWith("/v1")) throw new TypeError("baseUrl is without /v1, which the client adds")
  return base
}

export const checkCall = <A extends CallOptions>(settings: A): A => {
  const { maxRetries = 0, timeoutMillis = 1 } = settings
  if (!(timeoutMillis > 0 && timeoutMillis <= 2 ** 31 - 1)) throw new RangeError("timeoutMillis has to be more than 0")
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0 && maxRetries <= 10)) {
    throw new RangeError("maxRetries has to be a whole number from 0 to 10")
  }
  return settings
}

export const checkOptions = (options: ClientOptions): Settings => {
  const { apiKey, environment = realEnvironment, maxRetries = 2, timeoutMillis = 60_000 } = options
  // Checked here, because `Headers` would show a refused key in its error.
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError("apiKey has to be the API key alone, without spaces or line breaks")
  }
  const own = options.fetch
  return checkCall({
    base: checkBase(options.baseUrl),
    apiKey,
    // The global `fetch` is looked up at each request, so that a later replacement is used.
    fetch: own === undefined ? (...args) => globalThis.fetch(...args) : (...args) => own(...args),
    environment,
    maxRetries,
    timeoutMillis
  })
}
