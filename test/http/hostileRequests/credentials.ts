import {
  ambiguous,
  invalid,
  keyMalformed,
  keyMissing,
  problem,
  tooLong,
  unauthorized,
  unsupportedType
} from "./expectedResponses.ts"
import { type Bytes, casesWith, type HostileCase, listCases } from "./hostileCase.ts"
import { jsonType, request } from "./requestBytes.ts"

const anonymous = (line: string, headers: ReadonlyArray<string> = []) => request(line, { anonymous: true, headers })

const listNotificationsWith = (...headers: ReadonlyArray<string>) => anonymous("GET /v1/notifications?limit=1", headers)

const listPostsWith = (authorization: string) => anonymous("GET /v1/posts", [`Authorization: ${authorization}`])

const markAllReadFrom = (origin: ReadonlyArray<string>) =>
  anonymous("POST /v1/notifications/read-all", ["Cookie: {cookie}", ...origin])

const logIn = (body: string, ...headers: ReadonlyArray<string>) =>
  request("POST /v1/session", { anonymous: true, headers: [jsonType, ...headers], body })

const sessionEnded = unauthorized("The session has ended; log in again")

const crossOrigin = problem(
  403,
  "cross_origin",
  "A session's request has to come from https://posts.example, and to say so in Sec-Fetch-Site or Origin"
)

export const credentials: ReadonlyArray<HostileCase> = [
  ...casesWith(sessionEnded, (cookie) => listNotificationsWith(`Cookie: ${cookie}`), {
    "a session cookie of 15 kB": `__Host-session=${"a".repeat(15_000)}`,
    "a forged session cookie before the real one": "__Host-session=chosen; {cookie}"
  }),
  ...casesWith(keyMissing, (cookie) => listNotificationsWith(`Cookie: ${cookie}`), {
    "a thousand cookies": "a=b; ".repeat(1000),
    "an empty session cookie": "__Host-session=",
    "a session cookie of another name": "session=abc",
    "cookies named as the prototype": "__proto__=a; constructor=b"
  }),
  ...casesWith(crossOrigin, markAllReadFrom, {
    "a session's write without an origin": [],
    "a session's write from another site": ["Origin: https://evil.example"],
    "a session's write from a null origin": ["Origin: null"],
    "a session's write from a sibling site": ["Sec-Fetch-Site: same-site"],
    "a session's write from a host whose name begins like the service's": ["Origin: https://posts.example.evil.example"]
  }),
  ...casesWith(keyMalformed, listPostsWith, {
    "a key of ten thousand letters": `Bearer ${"a".repeat(10_000)}`,
    "SQL as a key": "Bearer ' OR '1'='1"
  }),
  ...casesWith(keyMissing, listPostsWith, {
    "an empty key": "Bearer",
    "a key as a password of HTTP Basic": "Basic OnNwc18="
  }),
  ...casesWith(keyMissing, (line) => anonymous(line), {
    "a key in the query": "GET /v1/posts?api_key={key}&access_token={key}",
    "a key in the path": "GET /v1/posts/{key}"
  }),
  ...listCases(
    (send: Bytes) => send,
    [
      "a malformed key with a good session",
      listNotificationsWith("Authorization: Bearer nonsense", "Cookie: {cookie}"),
      keyMalformed
    ],
    [
      "two keys in one header",
      anonymous("GET /v1/posts?limit=1", ["Authorization: Bearer {key}, Bearer {key}"]),
      keyMalformed
    ],
    [
      "a session that deletes a post from another site",
      anonymous("DELETE /v1/posts/{post}", ["Cookie: {cookie}", "Sec-Fetch-Site: cross-site"]),
      crossOrigin
    ],
    [
      "a key where a session is required",
      request("POST /v1/notifications/read-all"),
      problem(403, "session_required", "This is done as a person who has logged in, not with an API key")
    ],
    [
      "two Authorization headers",
      request("GET /v1/posts?limit=1", { headers: ["Authorization: Bearer nonsense"] }),
      ambiguous("The header authorization appears more than once")
    ]
  ),
  ...listCases(
    logIn,
    [
      "objects as email address and password",
      '{"email":{"$gt":""},"password":{"$gt":""}}',
      invalid(["email", "Expected string"], ["password", "Expected string"])
    ],
    [
      "a password of a byte over a kilobyte",
      JSON.stringify({ email: "a@a.example", password: "a".repeat(1025) }),
      invalid(tooLong("password", "Expected a value with a length of at most 1024", 1024))
    ],
    [
      "an unknown member at log-in",
      '{"email":"a@a.example","password":"a","role":"admin"}',
      invalid(["role", "Unknown member; the members are email, password, workspace_id"])
    ]
  ),
  {
    title: "a log-in from another site (login CSRF)",
    send: logIn('{"email":"a@a.example","password":"a"}', "Origin: https://evil.example"),
    responses: [problem(403, "cross_origin", "Logging in works from https://posts.example only")]
  },
  {
    title: "a log-in as a form",
    send: request("POST /v1/session", {
      anonymous: true,
      headers: ["Content-Type: application/x-www-form-urlencoded"],
      body: "email=a&password=b"
    }),
    responses: [unsupportedType("as application/x-www-form-urlencoded")]
  }
]
