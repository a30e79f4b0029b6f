import type { JsonSchema } from "effect"
import type * as Problem from "../problems.ts"
import type { Entry } from "./dictionary.ts"
import { onlyValue } from "./references.ts"
import { requestId } from "./samples.ts"

interface ProblemEntry<P> {
  /** When it is answered, and what a client does then. */
  readonly description: string
  /** What an example has beside the members that are always the same. */
  readonly example: P extends { readonly Encoded: infer E }
    ? Omit<E, "type" | "title" | "status" | "code" | "request_id" | "instance">
    : never
}

const problems: { readonly [Name in keyof typeof Problem]: ProblemEntry<(typeof Problem)[Name]> } = {
  InvalidRequest: {
    description: "A parameter or the body is not what this document says; `errors` lists every field that is wrong.",
    example: {
      detail: "content: This member is required; schedule_at: Expected a time at most 180 days ahead",
      errors: [
        { path: ["content"], message: "This member is required" },
        { path: ["schedule_at"], message: "Expected a time at most 180 days ahead" }
      ]
    }
  },
  IntegrationNotConnected: {
    description: "The workspace has no connected account on the platforms that it names.",
    example: {
      detail:
        "twitter is not connected in this workspace; tiktok is still in platform review and can't be connected yet",
      platforms: ["twitter", "tiktok"]
    }
  },
  InvalidState: {
    description: "The status of the post does not allow this.",
    example: { detail: "A published post can't be changed; only a draft or scheduled one can" }
  },
  ContentTooLong: {
    description: "A text that is scheduled or published is longer than its platform takes; a draft may be longer.",
    example: {
      detail: "twitter takes 280, this is 312",
      violations: [{ platform: "twitter", length: 312, limit: 280 }]
    }
  },
  Unauthorized: {
    description:
      "There is no key, session or password, or one that is not valid; or a session where only a key serves.",
    example: { detail: "This API key is unknown, has expired or was revoked" }
  },
  InsufficientScope: {
    description: "The key lacks the scope that the operation needs.",
    example: { detail: "The key needs the scope posts:write" }
  },
  SessionRequired: {
    description: "Only a person who has logged in can do this; a key can't.",
    example: { detail: "This is done as a person who has logged in, not with an API key" }
  },
  CrossOrigin: {
    description:
      "A request with a session, or one that logs in, comes from a page of another origin, or does not tell from where.",
    example: {
      detail: "A session's request has to come from https://posts.example, and to say so in Sec-Fetch-Site or Origin"
    }
  },
  ApprovalRequired: {
    description: "The key may draft only: a person has to schedule or publish the post.",
    example: { detail: "This key may draft, not publish; a person has to publish the post" }
  },
  HttpsRequired: {
    description: "The request came to the proxy before the service by plain HTTP.",
    example: { detail: "The request came to the proxy by plain HTTP; use https" }
  },
  NotFound: {
    description: "There is no such record in the workspace; nor does the answer tell whether another workspace has it.",
    example: { detail: "There is no such post in this workspace" }
  },
  MethodNotAllowed: {
    description: "The address exists, but not with this method; the header Allow lists those that it has.",
    example: { detail: "The header Allow lists the methods of this address" }
  },
  RequestTimeout: {
    description: "The request took longer to arrive than the service waits.",
    example: { detail: "The request took too long to arrive" }
  },
  IdempotencyInFlight: {
    description: "A request with this `Idempotency-Key` has not ended yet; repeat this one after `Retry-After`.",
    example: { detail: "Another request with this Idempotency-Key has not ended yet; repeat this one in a moment" }
  },
  PayloadTooLarge: {
    description: "The body is over 1 MiB.",
    example: { detail: "A body may have 1 MiB at most" }
  },
  UnsupportedMediaType: {
    description: "The body is not declared to be JSON, or it is compressed.",
    example: {
      detail: "Send the body as it is, without Content-Encoding, and with Content-Type: application/json"
    }
  },
  ExpectationFailed: {
    description: "The header Expect asks for something other than `100-continue`.",
    example: { detail: "The header Expect may only say 100-continue" }
  },
  IdempotencyMismatch: {
    description: "This `Idempotency-Key` was used for another request within the last 24 hours; use a fresh one.",
    example: {
      detail: "This Idempotency-Key was used for another request within the last 24 hours; use a fresh one"
    }
  },
  RateLimited: {
    description:
      "Too many requests of the workspace, or too many wrong keys or passwords from the address; `Retry-After` says when to come back.",
    example: { detail: "The workspace may send 300 requests a minute" }
  },
  HeadersTooLarge: {
    description: "The request has more headers than the service reads.",
    example: { detail: "There are more than 100 headers" }
  },
  Internal: {
    description:
      "A fault of the service; it was logged under the request's id. Whether anything was changed is not known.",
    example: { detail: "The service failed; what happened was logged" }
  },
  Unavailable: {
    description: "The service can't answer right now; `Retry-After` says when to come back.",
    example: { detail: "The database does not answer; try again in a few seconds" }
  }
}

const members = {
  type: "Names the kind of problem, as a URI that is not meant to be opened.",
  title: "The kind of problem in a few words.",
  status: "The status of the answer.",
  code: "Names the kind of problem in one word that does not change: act on this.",
  errors: "Every field that is wrong.",
  platforms: "The platforms that are not connected.",
  violations: "Every text that is too long.",
  "violations.length": "How long the text is, in the platform's own unit.",
  "violations.limit": "How long the platform lets it be, in the same unit."
}

const isProblem = (name: string): name is keyof typeof problems => Object.hasOwn(problems, name)

/** What the reference says of a problem: the members that are always the same are taken from its schema. */
export const problemEntry = (name: string, schema: JsonSchema.JsonSchema): Entry | undefined => {
  if (!isProblem(name)) return undefined
  const { description, example } = problems[name]
  const [type, title, status, code] = ["type", "title", "status", "code"].map((member) => onlyValue(schema, member))
  const { detail, ...own } = example
  return {
    description,
    members,
    examples: { [String(code)]: { type, title, status, detail, code, request_id: requestId, ...own } }
  }
}
