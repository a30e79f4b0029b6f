import { ambiguous, healthy, noMethod, noRequest, nothingThere, posts, problem } from "./answers.ts"
import type { HostileCase } from "./case.ts"
import { good, raw, request } from "./request.ts"

const json = "Content-Type: application/json"

export const requestLines: ReadonlyArray<HostileCase> = [
  { title: "the preface of HTTP/2", send: raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), answers: [noRequest], closes: true },
  {
    title: "HTTP/0.9",
    send: raw("GET /healthz\r\n\r\n"),
    answers: [ambiguous("This is not an HTTP/1.1 request")],
    closes: true
  },
  { title: "HTTP/1.2", send: raw("GET /healthz HTTP/1.2\r\nHost: a\r\n\r\n"), answers: [noRequest], closes: true },
  {
    title: "HTTP/2.0",
    send: raw("GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n"),
    answers: [ambiguous("This is not an HTTP/1.1 request")],
    closes: true
  },
  { title: "HTTP/9.9", send: raw("GET /healthz HTTP/9.9\r\nHost: a\r\n\r\n"), answers: [noRequest], closes: true },
  {
    title: "HTTP in small letters",
    send: raw("GET /healthz http/1.1\r\nHost: a\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "HTTP/1.0, which needs no host",
    send: raw("GET /healthz HTTP/1.0\r\n\r\n"),
    answers: [healthy],
    closes: true
  },
  {
    title: "HTTP/1.0 that would go on",
    send: raw("GET /healthz HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n"),
    answers: [healthy]
  },
  {
    title: "the greeting of TLS",
    send: raw(Buffer.from("16030100c8010000c40303", "hex"), Buffer.alloc(190)),
    answers: [noRequest],
    closes: true
  },
  { title: "the greeting of SSH", send: raw("SSH-2.0-OpenSSH_9.9\r\n"), answers: [noRequest], closes: true },
  { title: "a SOCKS request", send: raw(Buffer.from("050100", "hex"), "\r\n\r\n"), answers: [noRequest], closes: true },
  { title: "a redis command", send: raw("*1\r\n$8\r\nSHUTDOWN\r\n"), answers: [noRequest], closes: true },
  {
    title: "a mail client",
    send: raw("EHLO a.example\r\nMAIL FROM:<a@a.example>\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "empty lines before the request",
    send: raw("\r\n\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [healthy]
  },
  {
    title: "a space before the method",
    send: raw(" GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "two spaces in the request line",
    send: raw("GET  /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [healthy]
  },
  {
    title: "a tab in the request line",
    send: raw("GET\t/healthz\tHTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a space in the path",
    send: raw("GET /heal thz HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a line feed in the path",
    send: raw("GET /heal\nthz HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "no host",
    send: raw("GET /healthz HTTP/1.1\r\n\r\n"),
    answers: [ambiguous("The header Host has to name a host")],
    closes: true
  },
  {
    title: "two hosts",
    send: raw("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
    answers: [ambiguous("The header host appears more than once")],
    closes: true
  },
  {
    title: "a host of nothing",
    send: raw("GET /healthz HTTP/1.1\r\nHost:\r\n\r\n"),
    answers: [ambiguous("The header Host has to name a host")],
    closes: true
  },
  {
    title: "a host with a path",
    send: raw("GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    answers: [ambiguous("The header Host has to name a host")],
    closes: true
  },
  {
    title: "a host with a user",
    send: raw("GET /healthz HTTP/1.1\r\nHost: a@b\r\n\r\n"),
    answers: [ambiguous("The header Host has to name a host")],
    closes: true
  },
  {
    title: "a list of hosts",
    send: raw("GET /healthz HTTP/1.1\r\nHost: a, b\r\n\r\n"),
    answers: [ambiguous("The header Host has to name a host")],
    closes: true
  },
  {
    title: "a host with a port that is no number",
    send: raw("GET /healthz HTTP/1.1\r\nHost: a:http\r\n\r\n"),
    answers: [ambiguous("The header Host has to name a host")],
    closes: true
  },
  {
    title: "another host's whole address",
    send: raw("GET http://elsewhere.example/healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [healthy]
  },
  {
    title: "a whole address with a user",
    send: raw("GET http://a:b@elsewhere.example/healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [healthy]
  },
  {
    title: "a whole address of another scheme",
    send: raw("GET file:///etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [nothingThere]
  },
  {
    title: "a whole address that is none",
    send: raw("GET http://[::1 HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [nothingThere]
  },
  {
    title: "an address without a slash",
    send: raw("GET healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a request for a tunnel",
    send: raw("CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example:443\r\n\r\n"),
    answers: [problem(405, "method_not_allowed", "This service is not a proxy")],
    closes: true
  },
  {
    title: "a request for a tunnel to this machine",
    send: raw("CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n"),
    answers: [problem(405, "method_not_allowed", "This service is not a proxy")],
    closes: true
  },
  { title: "the options of everything", send: raw("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"), answers: [nothingThere] },
  { title: "a trace", send: request("TRACE /v1/posts"), answers: [noMethod] },
  { title: "a track", send: raw("TRACK /v1/posts HTTP/1.1\r\nHost: a\r\n\r\n"), answers: [noRequest], closes: true },
  {
    title: "a method in small letters",
    send: raw("get /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a method that nobody knows",
    send: raw("PUBLISH /v1/posts HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a method of a thousand letters",
    send: raw(`${"A".repeat(1000)} /healthz HTTP/1.1\r\nHost: a\r\n\r\n`),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a method of nothing",
    send: raw(" /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  { title: "a method of another protocol", send: request("PROPFIND /v1/posts"), answers: [noMethod] },
  {
    title: "a replacement where there is only a change",
    send: request("PUT /v1/posts/{post}", { headers: [json], body: good() }),
    answers: [noMethod]
  },
  { title: "a deletion of everything", send: request("DELETE /v1/posts"), answers: [noMethod] },
  {
    title: "a change of everything",
    send: request("PATCH /v1/posts", { headers: [json], body: "{}" }),
    answers: [noMethod]
  },
  {
    title: "a reading where there is only an order",
    send: request("GET /v1/posts/{post}/publish"),
    answers: [noMethod]
  },
  {
    title: "another method in a header",
    send: request("GET /v1/posts/{post}", {
      headers: ["X-HTTP-Method-Override: DELETE", "X-Method-Override: DELETE", "X-HTTP-Method: DELETE"]
    }),
    answers: [{ status: 200, body: /^\{"data":\{"id":"[-0-9a-f]{36}","status":"draft",/ }]
  },
  { title: "another method in the query", send: request("POST /v1/posts/{post}?_method=DELETE"), answers: [noMethod] },
  {
    title: "a body that a reading does not take",
    send: request("GET /v1/posts?limit=1", { headers: [json], body: '{"limit":1000}' }),
    answers: [posts]
  },
  {
    title: "HTTP/2.0 without a host",
    send: raw("GET /healthz HTTP/2.0\r\n\r\n"),
    answers: [ambiguous("This is not an HTTP/1.1 request")],
    closes: true
  }
]
