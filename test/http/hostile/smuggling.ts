import { ambiguous, healthy, noRequest, notJson, nothingThere, posts, problem, unauthorized } from "./answers.ts"
import type { HostileCase } from "./case.ts"
import { raw, request } from "./request.ts"

const json = "Content-Type: application/json"
const post = `POST /v1/posts/validate HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n${json}\r\n`

/** Sent behind a request, in the hope that it is taken for one of its own. */
const hidden = "DELETE /v1/posts/{post} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n"

const chunked = (body: string) => raw(post, "Transfer-Encoding: chunked\r\n\r\n", body)

export const smuggling: ReadonlyArray<HostileCase> = [
  {
    title: "a length and chunks",
    send: raw(post, "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", hidden),
    answers: [noRequest],
    closes: true
  },
  {
    title: "chunks and a length",
    send: raw(post, "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", hidden),
    answers: [noRequest],
    closes: true
  },
  {
    title: "two lengths that differ",
    send: raw(post, "Content-Length: 2\r\nContent-Length: 60\r\n\r\n{}", hidden),
    answers: [noRequest],
    closes: true
  },
  {
    title: "two lengths that agree",
    send: raw(post, "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}"),
    answers: [noRequest],
    closes: true
  },
  { title: "a list of lengths", send: raw(post, "Content-Length: 2, 2\r\n\r\n{}"), answers: [noRequest], closes: true },
  { title: "a negative length", send: raw(post, "Content-Length: -1\r\n\r\n{}"), answers: [noRequest], closes: true },
  {
    title: "a length with a plus sign",
    send: raw(post, "Content-Length: +2\r\n\r\n{}"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a length in hexadecimal",
    send: raw(post, "Content-Length: 0x2\r\n\r\n{}"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a length with a fraction",
    send: raw(post, "Content-Length: 2.0\r\n\r\n{}"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a length beyond 64 bits",
    send: raw(post, "Content-Length: 99999999999999999999999\r\n\r\n{}"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a length that wraps around 64 bits",
    send: raw(post, "Content-Length: 18446744073709551618\r\n\r\n{}"),
    answers: [noRequest],
    closes: true
  },
  { title: "a length of nothing", send: raw(post, "Content-Length:\r\n\r\n{}"), answers: [noRequest], closes: true },
  {
    title: "a length with a space within",
    send: raw(post, "Content-Length: 1 2\r\n\r\n{}"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a space before the colon of the length",
    send: raw(post, "Content-Length : 2\r\n\r\n{}"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a space before the colon of the chunks",
    send: raw(post, "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", hidden),
    answers: [noRequest],
    closes: true
  },
  {
    title: "chunks behind a tab",
    send: raw(post, "Transfer-Encoding:\tchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    answers: [
      {
        status: 200,
        body: '{"data":{"valid":false,"errors":[{"path":["content"],"message":"This member is required"},{"path":["platforms"],"message":"This member is required"}],"targets":[]}}'
      }
    ]
  },
  {
    title: "chunks behind a vertical tab",
    send: raw(post, "Transfer-Encoding: \x0bchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "chunks with a letter before",
    send: raw(post, "Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    answers: [ambiguous("Transfer-Encoding may only be chunked, and only in HTTP/1.1")],
    closes: true
  },
  {
    title: "chunks in quotes",
    send: raw(post, 'Transfer-Encoding: "chunked"\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    answers: [ambiguous("Transfer-Encoding may only be chunked, and only in HTTP/1.1")],
    closes: true
  },
  {
    title: "chunks in capitals",
    send: raw(post, "Transfer-Encoding: CHUNKED\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    answers: [
      {
        status: 200,
        body: '{"data":{"valid":false,"errors":[{"path":["content"],"message":"This member is required"},{"path":["platforms"],"message":"This member is required"}],"targets":[]}}'
      }
    ]
  },
  {
    title: "chunks twice",
    send: raw(post, "Transfer-Encoding: chunked, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "chunks in two headers, one of them hidden",
    send: raw(post, "Transfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n\r\n2\r\n{}\r\n0\r\n\r\n", hidden),
    answers: [noRequest],
    closes: true
  },
  {
    title: "chunks and then identity",
    send: raw(post, "Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "identity",
    send: raw(post, "Transfer-Encoding: identity\r\n\r\n{}"),
    answers: [ambiguous("Transfer-Encoding may only be chunked, and only in HTTP/1.1")],
    closes: true
  },
  {
    title: "gzip and then chunks",
    send: raw(post, "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    answers: [ambiguous("Transfer-Encoding may only be chunked, and only in HTTP/1.1")],
    closes: true
  },
  {
    title: "chunks on a folded line",
    send: raw(post, "Transfer-Encoding:\r\n chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "chunks to HTTP/1.0",
    send: raw(
      "POST /v1/posts HTTP/1.0\r\nHost: a\r\nAuthorization: Bearer {key}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    ),
    answers: [ambiguous("Transfer-Encoding may only be chunked, and only in HTTP/1.1")],
    closes: true
  },
  {
    title: "a chunk's size that is negative",
    send: chunked("-1\r\n{}\r\n0\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  { title: "a chunk's size with 0x", send: chunked("0x2\r\n{}\r\n0\r\n\r\n"), answers: [noRequest], closes: true },
  {
    title: "a chunk's size that wraps around 64 bits",
    send: chunked("10000000000000002\r\n{}\r\n0\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a chunk's size that is no number",
    send: chunked("two\r\n{}\r\n0\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  { title: "a chunk's size of nothing", send: chunked("\r\n{}\r\n0\r\n\r\n"), answers: [noRequest], closes: true },
  {
    title: "a chunk that is longer than its size",
    send: chunked("1\r\n{}\r\n0\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a chunk that ends in a line feed alone",
    send: chunked("2\r\n{}\n0\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a chunk's size that ends in a line feed alone",
    send: chunked("2\n{}\r\n0\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a chunk's extension of 20 kB",
    send: chunked(`2;a=${"b".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a chunk's extension with a line feed within",
    send: chunked("2;a\nb\r\n{}\r\n0\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a trailer that would change the length",
    send: chunked("2\r\n{}\r\n0\r\nContent-Length: 60\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a trailer that would bring a key",
    send: raw(
      "POST /v1/posts HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n0\r\nAuthorization: Bearer {key}\r\n\r\n"
    ),
    answers: [unauthorized("Send an API key: Authorization: Bearer sps_…")]
  },
  {
    title: "trailers of 20 kB",
    send: chunked(`2\r\n{}\r\n0\r\nX: ${"b".repeat(20_000)}\r\n\r\n`),
    answers: [problem(431, "headers_too_large", "The headers are larger than 16 KiB")],
    closes: true
  },
  {
    title: "a request within a body",
    send: request("POST /v1/posts", { body: "DELETE /v1/posts/{post} HTTP/1.1\r\nHost: a\r\n\r\n", headers: [json] }),
    answers: [notJson("Unexpected token 'D', \"DELETE /v1\"... is not valid JSON")]
  },
  {
    title: "a request within the body of a request that takes none",
    send: raw(
      "GET /v1/posts?limit=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\nContent-Length: 109\r\n\r\nDELETE /v1/posts/{post} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer 0123456789012\r\n\r\n"
    ),
    answers: [posts]
  },
  {
    title: "a request behind a request",
    send: raw("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n"),
    answers: [healthy, nothingThere]
  },
  {
    title: "noise behind a request",
    send: raw("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n\x01\x02\x03\r\n\r\n"),
    answers: [healthy, noRequest],
    closes: true
  },
  {
    title: "a length that is answered before the body has come",
    send: raw("POST /v1/posts HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n", "x".repeat(100)),
    answers: [unauthorized("Send an API key: Authorization: Bearer sps_…")]
  },
  { title: "line feeds alone", send: raw("GET /healthz HTTP/1.1\nHost: a\n\n"), answers: [noRequest], closes: true },
  {
    title: "carriage returns alone",
    send: raw("GET /healthz HTTP/1.1\rHost: a\r\r"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a carriage return within a header",
    send: raw("GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\rContent-Length: 5\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a NUL within a header",
    send: raw("GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a header without a colon",
    send: raw("GET /healthz HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a header without a name",
    send: raw("GET /healthz HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a header with a space in its name",
    send: raw("GET /healthz HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a folded header",
    send: raw("GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "a space before the first header",
    send: raw("GET /healthz HTTP/1.1\r\n Host: a\r\n\r\n"),
    answers: [noRequest],
    closes: true
  }
]
