import { Result } from "effect"
import { type Document, documentedResponses, type ReceivedResponse } from "./documentedResponses.ts"
import type { DraftRequest } from "./mutations.ts"

const decoded = (segment: string) => Result.getOrUndefined(Result.try(() => decodeURIComponent(segment)))

const fits = (template: string, path: string): boolean => {
  const parts = template.split("/")
  // The router takes a slash at the end for none.
  const segments = path.replace(/\/$/, "").split("/").map(decoded)
  return (
    parts.length === segments.length &&
    segments.every(
      (segment, index) => segment !== undefined && (parts[index]?.startsWith("{") === true || parts[index] === segment)
    )
  )
}

/** Whether a request deserves to be refused before it is known what it is for. */
const isRefusedUnread = ({ headers, path, query }: DraftRequest, { status }: ReceivedResponse): boolean => {
  const head = [path, query, ...Object.entries(headers).flat()].join(" ")
  return (status === 417 && headers["expect"] !== undefined) || (status === 431 && head.length > 16_000)
}

const unserved: Readonly<Record<number, string>> = {
  400: "invalid_request",
  404: "not_found",
  405: "method_not_allowed",
  417: "expectation_failed",
  431: "headers_too_large"
}

const judgeUnserved = ({ status, text, headers }: ReceivedResponse, method: string): string | undefined => {
  if (headers["x-request-id"] === undefined) return "it lacks X-Request-Id"
  if (status === 204 && method === "OPTIONS") return undefined
  const code = unserved[status]
  if (code === undefined) return `the status ${status} is not documented`
  if (method === "HEAD") return undefined
  if (headers["content-type"] !== "application/problem+json") return `its type is ${String(headers["content-type"])}`
  const problem = JSON.parse(text)
  const isNamed = problem.code === code && problem.type === `urn:social-publisher:problem:${code}`
  return isNamed ? undefined : `it is not ${code}`
}

/** Says what about an answer is not as a document has it, and which operation answered. */
export const makeResponseChecker = (document: Document) => {
  // Fixed addresses come before those with parameters.
  const operations = documentedResponses(document)
    .toSorted((left, right) => (left.path < right.path ? 1 : -1))
    .toSorted((left, right) => left.path.split("{").length - right.path.split("{").length)
  return (draft: DraftRequest, received: ReceivedResponse) => {
    const { method, path } = draft
    const [address = ""] = path.split("?", 1)
    // Nothing is served at an address with a fragment, or with what some take for parameters.
    const operation =
      /[#;]/.test(address) || isRefusedUnread(draft, received)
        ? undefined
        : operations.find((one) => one.method === (method === "HEAD" ? "GET" : method) && fits(one.path, address))
    if (operation === undefined) return { operationId: undefined, complaint: judgeUnserved(received, method) }
    const { operationId, statuses } = operation
    if (received.status >= 500) return { operationId, complaint: `the status is ${received.status}` }
    if (method !== "HEAD") return { operationId, complaint: operation.judge(received) }
    const isHead = statuses.includes(received.status) && received.text === ""
    return { operationId, complaint: isHead ? undefined : `HEAD is answered ${received.status} ${received.text}` }
  }
}
