import { Result } from "effect"
import { type Document, documentedResponses, type ReceivedResponse } from "./documentedResponses.ts"
import type { DraftRequest } from "./mutations.ts"

const decoded = (segment: string) => Result.getOrUndefined(Result.try(() => decodeURIComponent(segment)))

const matches = (template: string, path: string): boolean => {
  const parts = template.split("/")
  // The router ignores a trailing slash.
  const segments = path.replace(/\/$/, "").split("/").map(decoded)
  return (
    parts.length === segments.length &&
    segments.every(
      (segment, index) => segment !== undefined && (parts[index]?.startsWith("{") === true || parts[index] === segment)
    )
  )
}

/** True if a request can be refused before routing, because of its Expect header or its size. */
const isRefusedUnrouted = ({ headers, path, query }: DraftRequest, { status }: ReceivedResponse): boolean => {
  const head = [path, query, ...Object.entries(headers).flat()].join(" ")
  return (status === 417 && headers["expect"] !== undefined) || (status === 431 && head.length > 16_000)
}

const unroutedCodes: Readonly<Record<number, string>> = {
  400: "invalid_request",
  404: "not_found",
  405: "method_not_allowed",
  417: "expectation_failed",
  431: "headers_too_large"
}

const checkUnrouted = ({ status, text, headers }: ReceivedResponse, method: string): string | undefined => {
  if (headers["x-request-id"] === undefined) return "it lacks X-Request-Id"
  if (status === 204 && method === "OPTIONS") return undefined
  const code = unroutedCodes[status]
  if (code === undefined) return `the status ${status} is not documented`
  if (method === "HEAD") return undefined
  if (headers["content-type"] !== "application/problem+json") return `its type is ${String(headers["content-type"])}`
  const problem = JSON.parse(text)
  const isNamed = problem.code === code && problem.type === `urn:social-publisher:problem:${code}`
  return isNamed ? undefined : `it is not ${code}`
}

/** The checker returns the operation that responded, and the response's differences from the document. */
export const makeResponseChecker = (document: Document) => {
  // Fixed paths take precedence over paths with parameters.
  const operations = documentedResponses(document)
    .toSorted((left, right) => (left.path < right.path ? 1 : -1))
    .toSorted((left, right) => left.path.split("{").length - right.path.split("{").length)
  return (draft: DraftRequest, received: ReceivedResponse) => {
    const { method, path } = draft
    const [address = ""] = path.split("?", 1)
    // Nothing is served at a path with a fragment or with matrix parameters.
    const operation =
      /[#;]/.test(address) || isRefusedUnrouted(draft, received)
        ? undefined
        : operations.find((one) => one.method === (method === "HEAD" ? "GET" : method) && matches(one.path, address))
    if (operation === undefined) return { operationId: undefined, complaint: checkUnrouted(received, method) }
    const { operationId, statuses } = operation
    if (received.status >= 500) return { operationId, complaint: `the status is ${received.status}` }
    if (method !== "HEAD") return { operationId, complaint: operation.check(received) }
    const isHead = statuses.includes(received.status) && received.text === ""
    return { operationId, complaint: isHead ? undefined : `HEAD got ${received.status} ${received.text}` }
  }
}
