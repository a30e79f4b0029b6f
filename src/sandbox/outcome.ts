import type { Endpoint, StandInRequest, StandInResponse } from "./endpoint.ts"
import type { Entry } from "./state/entry.ts"
import type { Fault, Oddity } from "./state/faults.ts"
import type { State } from "./state/state.ts"

export interface ErrorFormat {
  /** Omitted arguments get the platform's usual text for the status. */
  readonly error: (status: number, name?: string, detail?: string) => StandInResponse
  /** The headers of a refusal by a limit. `reset` is in Unix seconds. */
  readonly resetHeaders: (reset: number) => Readonly<Record<string, string>>
}

export interface Outcome {
  /** `reset` resets the connection; `hang` keeps it open without a response. */
  readonly response: StandInResponse | "reset" | "hang"
  readonly entries: ReadonlyArray<Entry>
}

const faultResponse = (
  { error, resetHeaders }: ErrorFormat,
  fault: Extract<Fault, { kind: "status" }>,
  now: number
): StandInResponse => {
  const { headers, ...response } =
    fault.body === undefined
      ? error(fault.status, fault.error, fault.detail)
      : { status: fault.status, body: fault.body, headers: {} }
  return {
    ...response,
    headers: {
      ...headers,
      ...(fault.retry_after === undefined ? {} : { "retry-after": String(fault.retry_after) }),
      ...(fault.reset_after === undefined ? {} : resetHeaders(Math.ceil(now / 1000) + fault.reset_after))
    }
  }
}

/** A response as from a firewall or a gateway. */
const frontResponse = (status: number): StandInResponse => ({
  status,
  body: `<!doctype html><title>${status}</title><h1>Access denied</h1>`,
  headers: { "content-type": "text/html" }
})

const hidden = (entries: ReadonlyArray<Entry>, fault: Oddity, now: number): ReadonlyArray<Entry> => {
  if (fault.kind !== "overload" && fault.kind !== "unseen") return entries
  const until = fault.kind === "overload" ? { shownFrom: now + fault.ms } : { repliesFrom: now + fault.ms }
  return entries.map((entry) => (entry._tag === "Post" ? { ...entry, ...until } : entry))
}

/** Answers a request under a fault. A `delay` has passed already. */
export const meet = (
  { respond }: Pick<Endpoint, "respond">,
  format: ErrorFormat,
  fault: Fault | undefined,
  request: Omit<StandInRequest, "oddity">,
  state: State
): Outcome => {
  const { now } = request
  const carryOut = (oddity?: Oddity) => respond({ ...request, oddity }, state)
  if (fault === undefined || fault.kind === "delay") {
    const response = carryOut()
    return { response, entries: response.entries ?? [] }
  }
  switch (fault.kind) {
    case "status":
    case "front":
    case "reset":
    case "hang": {
      const entries = fault.when === "after_commit" ? (carryOut().entries ?? []) : []
      if (fault.kind === "status") return { response: faultResponse(format, fault, now), entries }
      return { response: fault.kind === "front" ? frontResponse(fault.status) : fault.kind, entries }
    }
    default: {
      const response = carryOut(fault)
      const entries = hidden(response.entries ?? [], fault, now)
      return { response: fault.kind === "overload" ? format.error(503) : response, entries }
    }
  }
}
