import type { Outcome } from "./conformanceSuite.ts"

interface Expected {
  /** The number of passing checks by scenario. Omits scenarios in which only the check of the messages' form passes. */
  readonly passed: Readonly<Record<string, number>>
  /** The checks that can't pass, by reason. */
  readonly cannotPass: Readonly<Record<string, ReadonlyArray<string>>>
}

/** Checks of both revisions. */
const content = ["audio", "embedded-resource", "error", "image", "mixed-content", "simple-text", "with-progress"].map(
  (kind) => `tools-call-${kind}:tools-call-${kind}`
)
const prompts = ["get-embedded-resource", "get-simple", "get-with-args", "get-with-image"].map(
  (kind) => `prompts-${kind}:prompts-${kind}`
)
const resources = ["read-binary", "read-text", "templates-read"].map((kind) => `resources-${kind}:resources-${kind}`)

const current: Expected = {
  passed: {
    caching: 6,
    "dns-rebinding-protection": 2,
    "http-header-validation": 14,
    "input-required-result-unsupported-methods": 2,
    "input-required-result-validate-input": 3,
    "resources-list": 2,
    "sep-2164-resource-not-found": 4,
    "server-sse-multiple-streams": 1,
    "server-stateless": 21,
    "tools-list": 4
  },
  cannotPass: {
    "It calls a tool of the suite's own example server": [
      ...content,
      "json-schema-2020-12:json-schema-2020-12-tool-found",
      "server-stateless:sep-2575-http-server-no-independent-requests-on-stream",
      "server-stateless:sep-2575-missing-capability-http-400",
      "server-stateless:sep-2575-server-no-log-without-loglevel",
      "server-stateless:sep-2575-server-rejects-undeclared-capability"
    ],
    "It calls a tool of that server which asks its client for something, as no tool here does": [
      "input-required-result-basic-elicitation:sep-2322-elicitation-incomplete",
      "input-required-result-basic-list-roots:sep-2322-list-roots-incomplete",
      "input-required-result-basic-sampling:sep-2322-sampling-incomplete",
      "input-required-result-capability-check:sep-2322-respect-client-capabilities",
      "input-required-result-ignore-extra-params:sep-2322-ignore-unexpected-params (warning)",
      "input-required-result-missing-input-response:sep-2322-missing-response-rerequests (warning)",
      "input-required-result-multi-round:sep-2322-multi-round-r1",
      "input-required-result-multiple-input-requests:sep-2322-multiple-inputs-incomplete",
      "input-required-result-request-state:sep-2322-request-state-incomplete",
      "input-required-result-result-type:sep-2322-result-type-included",
      "input-required-result-tampered-state:sep-2322-reject-tampered-state"
    ],
    "It needs a tool one of whose arguments is repeated in a header": [
      "http-custom-header-server-validation:sep-2243-server-decode-base64",
      "http-custom-header-server-validation:sep-2243-server-no-xmcp-tool",
      "http-custom-header-server-validation:sep-2243-server-reject-invalid-param-chars",
      "http-custom-header-server-validation:sep-2243-server-reject-param-mismatch",
      "http-custom-header-server-validation:sep-2243-server-validate-param-match"
    ],
    "There are no prompts, and no arguments of prompts to complete": [
      ...prompts,
      "prompts-list:prompts-list",
      "caching:sep-2549-prompts-list-caching-hints",
      "completion-complete:completion-complete",
      "input-required-result-non-tool-request:sep-2322-non-tool-incomplete"
    ],
    "There are no resources": [...resources, "caching:sep-2549-resources-read-caching-hints (skipped)"],
    "Nothing is sent but answers, each of which is JSON": [
      "server-sse-multiple-streams:server-sse-streams-functional (info)",
      "server-stateless:sep-2575-server-honors-notification-filter (skipped)",
      "server-stateless:sep-2575-server-sends-prompts-list-changed-on-subscription (skipped)",
      "server-stateless:sep-2575-server-sends-subscription-ack (skipped)",
      "server-stateless:sep-2575-server-sends-tools-list-changed-on-subscription (skipped)",
      "server-stateless:sep-2575-server-tags-subscription-id (skipped)"
    ]
  }
}

const before: Expected = {
  passed: {
    "logging-set-level": 2,
    "prompts-list": 2,
    "dns-rebinding-protection": 2,
    ping: 2,
    "resources-list": 2,
    "server-initialize": 2,
    "server-session-lifecycle": 0,
    "server-sse-multiple-streams": 0,
    "server-sse-polling": 0,
    "tools-list": 3
  },
  cannotPass: {
    "It calls a tool of the suite's own example server": [
      ...content,
      "json-schema-2020-12:json-schema-2020-12-tool-found"
    ],
    "It calls a tool of that server which asks its client for something, as no tool here does": [
      "elicitation-sep1034-defaults:elicitation-sep1034-general",
      "elicitation-sep1330-enums:elicitation-sep1330-general",
      "tools-call-elicitation:tools-call-elicitation",
      "tools-call-sampling:tools-call-sampling"
    ],
    "There are no prompts, and no arguments of prompts to complete": [
      ...prompts,
      "completion-complete:completion-complete"
    ],
    "There are no resources": [
      ...resources,
      "resources-subscribe:resources-subscribe",
      "resources-unsubscribe:resources-unsubscribe"
    ],
    "No log is sent to clients": ["tools-call-with-logging:tools-call-with-logging"],
    "There are no sessions, whose streams could be taken up again": [
      "server-initialize:server-session-id-visible-ascii (info)",
      "server-session-lifecycle:server-session-lifecycle-skipped (info)",
      "server-sse-multiple-streams:server-sse-multiple-streams-session (warning)",
      "server-sse-polling:server-sse-polling-session (warning)"
    ],
    "It notes what was sent and received": [
      "server-sse-polling:incoming-response (info)",
      "server-sse-polling:outgoing-request (info)",
      "server-sse-polling:server-sse-content-type (info)"
    ]
  }
}

const scenarioOf = (check: string) => check.slice(0, check.indexOf(":"))

const outcomeOf = ({ cannotPass, passed }: Expected): Outcome => {
  const others = Object.values(cannotPass).flat().toSorted()
  const form = Object.fromEntries(others.map((check) => [scenarioOf(check), 1]))
  return { passed: { ...form, ...passed }, others }
}

/** The expected outcome of the checks that each revision requires of servers. */
export const expectedOutcomes: ReadonlyArray<readonly [revision: string, outcome: Outcome]> = [
  ["2026-07-28", outcomeOf(current)],
  ["2025-11-25", outcomeOf(before)]
]
