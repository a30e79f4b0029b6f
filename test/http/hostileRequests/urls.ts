import {
  ambiguous,
  invalid,
  invalidLimit,
  invalidStatus,
  malformed,
  noSuchPost,
  notFound,
  notUuid,
  postList
} from "./expectedResponses.ts"
import { type Bytes, casesWith, type HostileCase, listCases } from "./hostileCase.ts"
import { get, jsonType, request } from "./requestBytes.ts"

const cursorInvalid = invalid(["cursor", "Expected a cursor from an earlier response"])

export const urls: ReadonlyArray<HostileCase> = [
  ...casesWith(notFound, get, {
    "dot segments": "/v1/../v1/posts?limit=1",
    "dot segments above the root": "/../../../../etc/passwd",
    "percent-encoded dot segments": "/v1/posts/%2e%2e/notifications",
    "doubly percent-encoded dot segments": "/%252e%252e/%252e%252e/etc/passwd",
    "dot segments with backslashes": "/..\\..\\..\\windows\\win.ini",
    "dot segments in overlong UTF-8": "/%c0%ae%c0%ae/%c0%ae%c0%ae/etc/passwd",
    "double slashes": "//v1//posts?limit=1",
    "a double slash and a host": "//elsewhere.example/v1/posts",
    "a percent-encoded slash": "/v1%2fposts",
    "a path in capitals": "/V1/POSTS",
    "a matrix parameter": "/v1/posts;a=b?limit=1",
    "a percent-encoded question mark": "/v1/posts%3flimit=1",
    "a percent sign without digits": "/v1/posts/%",
    "invalid UTF-8 in the path": "/v1/posts/%ff",
    "the path of a file of secrets": "/.env",
    "the path of a Git repository": "/.git/config",
    "the path of the sandbox, which is off": "/sandbox",
    "dot segments below the reference page": "/docs/../../package.json",
    "the path of a source map": "/docs/index.js.map",
    "a path of fourteen thousand letters": `/${"a".repeat(14_000)}`,
    "a path of seven thousand segments": "/a".repeat(7000),
    "the path of the metrics in capitals": "/METRICS",
    "a double slash before the metrics": "//metrics",
    "a matrix parameter after the metrics": "/metrics;a"
  }),
  ...casesWith(postList, get, {
    "a trailing slash": "/v1/posts/?limit=1",
    "a percent-encoded letter": "/v1/p%6fsts?limit=1",
    "a query of three thousand members": `/v1/posts?${"a=1&".repeat(3000)}limit=1`,
    "a query member as an array": "/v1/posts?limit[]=1&limit=1",
    "a query member as an object": "/v1/posts?limit[$gt]=1&limit=1",
    "prototype pollution in the query": "/v1/posts?__proto__[limit]=1000&constructor[prototype][limit]=1000&limit=1"
  }),
  ...casesWith(ambiguous("The URL of a request must not have a fragment"), get, {
    "a fragment": "/v1/posts?limit=1#limit=1000",
    "a fragment after the metrics": "/metrics#a"
  }),
  ...casesWith(notUuid, (id) => get(`/v1/posts/${id}`), {
    "an id with a percent-encoded slash": "a%2fpublish",
    "a NUL as an id": "%00",
    "an id with a NUL at the end": "{post}%00",
    "header injection in an id": "%0d%0aX-Injected:%201",
    "an id with a space at the end": "{post}%20",
    "an id in braces": "%7B{post}%7D",
    "an id without dashes": "00000000000000000000000000000000",
    "an id of five thousand letters": "a".repeat(5000),
    "a wildcard as an id": "*",
    "a route parameter as an id": ":id",
    "__proto__ as an id": "__proto__",
    "constructor as an id": "constructor",
    "SQL as an id": "'%20OR%20'1'='1"
  }),
  ...listCases(
    (send: Bytes) => send,
    ["the nil UUID as an id", get("/v1/posts/00000000-0000-0000-0000-000000000000"), noSuchPost],
    ["SQL after an id", request("DELETE /v1/posts/{post}';DROP%20TABLE%20posts;--"), notFound],
    ["GET for another workspace's post", get("/v1/posts/{foreign}"), noSuchPost],
    ["DELETE for another workspace's post", request("DELETE /v1/posts/{foreign}"), noSuchPost],
    [
      "PATCH for another workspace's post",
      request("PATCH /v1/posts/{foreign}", { headers: [jsonType], body: '{"content":"Mine"}' }),
      noSuchPost
    ],
    ["an order to publish another workspace's post", request("POST /v1/posts/{foreign}/publish"), noSuchPost]
  ),
  ...listCases(
    get,
    ["a duplicate query member", "/v1/posts?limit=1&limit=2", invalid(["limit", "Given more than once"])],
    ["SQL in a limit", "/v1/posts?limit=1;DROP%20TABLE%20posts", invalidLimit],
    ["a negative limit", "/v1/posts?limit=-1", invalidLimit],
    ["an infinite limit", "/v1/posts?limit=1e999", invalidLimit],
    ["SQL in a status", "/v1/posts?status=draft'%20OR%201=1--", invalidStatus],
    ["SQL in a cursor", "/v1/posts?cursor=eyJ2IjoxLCJiZWZvcmUiOiInIE9SIDE9MS0tIn0", cursorInvalid],
    [
      "prototype pollution in a cursor",
      "/v1/posts?cursor=eyJ2IjoxLCJfX3Byb3RvX18iOnsiYmVmb3JlIjoiYSJ9fQ",
      cursorInvalid
    ],
    [
      "a page beyond the limit",
      "/v1/notifications?page=9007199254740993",
      invalid(malformed("page", "a whole number from 0 to 1000000"))
    ]
  )
]
