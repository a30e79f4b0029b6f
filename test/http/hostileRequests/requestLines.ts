import {
  ambiguous,
  closing,
  draft,
  healthy,
  methodNotAllowed,
  notFound,
  notHttp,
  postList,
  problem
} from "./expectedResponses.ts"
import { casesWith, type HostileCase, listCases } from "./hostileCase.ts"
import { jsonType, raw, request, validBody } from "./requestBytes.ts"

const withLine = (line: string) => raw(`${line}\r\nHost: a\r\n\r\n`)

const withHost = (headers: string) => raw(`GET /healthz HTTP/1.1\r\n${headers}\r\n`)

const noProxy = closing(problem(405, "method_not_allowed", "This service is not a proxy"))

export const requestLines: ReadonlyArray<HostileCase> = [
  ...casesWith(notHttp, (bytes: string | Uint8Array) => raw(bytes), {
    "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/0.9": "GET /healthz\r\n\r\n",
    "HTTP/2.0 without a host": "GET /healthz HTTP/2.0\r\n\r\n",
    "a TLS handshake": Buffer.concat([Buffer.from("16030100c8010000c40303", "hex"), Buffer.alloc(190)]),
    "an SSH greeting": "SSH-2.0-OpenSSH_9.9\r\n",
    "a SOCKS request": Buffer.concat([Buffer.from("050100", "hex"), Buffer.from("\r\n\r\n")]),
    "a Redis command": "*1\r\n$8\r\nSHUTDOWN\r\n",
    "SMTP commands": "EHLO a.example\r\nMAIL FROM:<a@a.example>\r\n"
  }),
  ...casesWith(notHttp, withLine, {
    "HTTP/1.2": "GET /healthz HTTP/1.2",
    "HTTP/2.0": "GET /healthz HTTP/2.0",
    "HTTP/9.9": "GET /healthz HTTP/9.9",
    "HTTP in lower case": "GET /healthz http/1.1",
    "a space before the method": " GET /healthz HTTP/1.1",
    "tabs in the request line": "GET\t/healthz\tHTTP/1.1",
    "a space in the path": "GET /heal thz HTTP/1.1",
    "a line feed in the path": "GET /heal\nthz HTTP/1.1",
    "a path without a slash": "GET healthz HTTP/1.1",
    "the method TRACK": "TRACK /v1/posts HTTP/1.1",
    "a method in lower case": "get /healthz HTTP/1.1",
    "an unknown method": "PUBLISH /v1/posts HTTP/1.1",
    "a method of a thousand letters": `${"A".repeat(1000)} /healthz HTTP/1.1`,
    "an empty method": " /healthz HTTP/1.1"
  }),
  ...casesWith(healthy, withLine, {
    "empty lines before the request": "\r\n\r\n\r\nGET /healthz HTTP/1.1",
    "two spaces in the request line": "GET  /healthz HTTP/1.1",
    "an absolute URL of another host": "GET http://elsewhere.example/healthz HTTP/1.1",
    "an absolute URL with a user": "GET http://a:b@elsewhere.example/healthz HTTP/1.1"
  }),
  ...casesWith(notFound, withLine, {
    "an absolute URL of another scheme": "GET file:///etc/passwd HTTP/1.1",
    "a malformed absolute URL": "GET http://[::1 HTTP/1.1",
    "OPTIONS for the whole server": "OPTIONS * HTTP/1.1"
  }),
  ...casesWith(ambiguous("The header Host has to name a host"), withHost, {
    "no Host": "",
    "an empty Host": "Host:\r\n",
    "a Host with a path": "Host: a/b\r\n",
    "a Host with a user": "Host: a@b\r\n",
    "a list of hosts": "Host: a, b\r\n",
    "a Host whose port is no number": "Host: a:http\r\n"
  }),
  ...listCases(
    raw,
    ["HTTP/1.0 with keep-alive", "GET /healthz HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", healthy],
    ["HTTP/1.0 without a host", "GET /healthz HTTP/1.0\r\n\r\n", closing(healthy)],
    [
      "two Host headers",
      "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      ambiguous("The header host appears more than once")
    ]
  ),
  ...casesWith(noProxy, raw, {
    "CONNECT to another host": "CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example:443\r\n\r\n",
    "CONNECT to this machine": "CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n"
  }),
  ...casesWith(methodNotAllowed, request, {
    "the method TRACE": "TRACE /v1/posts",
    "a WebDAV method": "PROPFIND /v1/posts",
    "DELETE for all posts": "DELETE /v1/posts",
    "GET where there is only POST": "GET /v1/posts/{post}/publish",
    "a method override in the query": "POST /v1/posts/{post}?_method=DELETE"
  }),
  ...casesWith(
    methodNotAllowed,
    ({ line, body }: { readonly line: string; readonly body: string }) => request(line, { headers: [jsonType], body }),
    {
      "PUT where there is only PATCH": { line: "PUT /v1/posts/{post}", body: validBody() },
      "PATCH for all posts": { line: "PATCH /v1/posts", body: "{}" }
    }
  ),
  {
    title: "a method override in a header",
    send: request("GET /v1/posts/{post}", {
      headers: ["X-HTTP-Method-Override: DELETE", "X-Method-Override: DELETE", "X-HTTP-Method: DELETE"]
    }),
    responses: [draft]
  },
  {
    title: "a body with a GET",
    send: request("GET /v1/posts?limit=1", { headers: [jsonType], body: '{"limit":1000}' }),
    responses: [postList]
  }
]
