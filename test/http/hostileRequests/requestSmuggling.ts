import {
  ambiguous,
  healthy,
  headersTooLarge,
  keyMissing,
  notFound,
  notHttp,
  notJson,
  postList
} from "./expectedResponses.ts"
import { type Bytes, casesWith, type ExpectedResponse, type HostileCase, listCases } from "./hostileCase.ts"
import { create, raw, validate, validateChunked } from "./requestBytes.ts"

/** A second request, which would be carried out by a server that misjudges where the first one ends. */
const smuggled = "DELETE /v1/posts/{post} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n"

const withLength = (length: string) => validate(`Content-Length:${length}\r\n\r\n{}`)

/** The chunked body `{}` under other headers than `Transfer-Encoding: chunked`. */
const chunkedUnder = (headers: string) => validate(`${headers}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`)

const withHeader = (header: string) => raw(`GET /healthz HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`)

const readAsChunks: ExpectedResponse = {
  status: 200,
  body: '{"data":{"valid":false,"errors":[{"path":["content"],"message":"This member is required"},{"path":["platforms"],"message":"This member is required"}],"targets":[]}}'
}

const otherCoding = ambiguous("Transfer-Encoding may only be chunked, and only in HTTP/1.1")

export const requestSmuggling: ReadonlyArray<HostileCase> = [
  ...casesWith(notHttp, (rest) => validate(rest, smuggled), {
    "Content-Length and then Transfer-Encoding": "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "Transfer-Encoding and then Content-Length": "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "two lengths that differ": "Content-Length: 2\r\nContent-Length: 60\r\n\r\n{}",
    "a space before the colon of Transfer-Encoding": "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "a second Transfer-Encoding with an unknown coding":
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
  }),
  ...casesWith(notHttp, withLength, {
    "two lengths that agree": " 2\r\nContent-Length: 2",
    "a list of lengths": " 2, 2",
    "a negative length": " -1",
    "a length with a plus sign": " +2",
    "a hexadecimal length": " 0x2",
    "a length with a fraction": " 2.0",
    "a length beyond 64 bits": " 99999999999999999999999",
    "a length that wraps around 64 bits": " 18446744073709551618",
    "an empty length": "",
    "a length with a space in it": " 1 2"
  }),
  ...casesWith(notHttp, chunkedUnder, {
    "chunked after a vertical tab": "Transfer-Encoding: \x0bchunked",
    "chunked twice": "Transfer-Encoding: chunked, chunked",
    "chunked before identity": "Transfer-Encoding: chunked, identity",
    "chunked on a folded line": "Transfer-Encoding:\r\n chunked"
  }),
  ...casesWith(otherCoding, chunkedUnder, {
    "chunked with a letter before it": "Transfer-Encoding: xchunked",
    "chunked in quotes": 'Transfer-Encoding: "chunked"',
    "gzip before chunked": "Transfer-Encoding: gzip, chunked"
  }),
  ...casesWith(readAsChunks, chunkedUnder, {
    "chunked after a tab": "Transfer-Encoding:\tchunked",
    "chunked in capitals": "Transfer-Encoding: CHUNKED"
  }),
  ...casesWith(notHttp, validateChunked, {
    "a negative chunk size": "-1\r\n{}\r\n0\r\n\r\n",
    "a chunk size with 0x": "0x2\r\n{}\r\n0\r\n\r\n",
    "a chunk size that wraps around 64 bits": "10000000000000002\r\n{}\r\n0\r\n\r\n",
    "a chunk size that is no number": "two\r\n{}\r\n0\r\n\r\n",
    "an empty chunk size": "\r\n{}\r\n0\r\n\r\n",
    "a chunk longer than its size": "1\r\n{}\r\n0\r\n\r\n",
    "a chunk that ends in a bare line feed": "2\r\n{}\n0\r\n\r\n",
    "a chunk size that ends in a bare line feed": "2\n{}\r\n0\r\n\r\n",
    "a chunk extension of 20 kB": `2;a=${"b".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    "a chunk extension with a line feed": "2;a\nb\r\n{}\r\n0\r\n\r\n",
    "a trailer with another Content-Length": "2\r\n{}\r\n0\r\nContent-Length: 60\r\n\r\n"
  }),
  ...casesWith(notHttp, withHeader, {
    "a carriage return in a header": "X: a\rContent-Length: 5",
    "a NUL in a header": "X: a\0b",
    "a header without a colon": "nonsense",
    "a header without a name": ": b",
    "a header name with a space": "X Y: b",
    "a folded header": "X: a\r\n b"
  }),
  ...casesWith(notHttp, raw, {
    "bare line feeds": "GET /healthz HTTP/1.1\nHost: a\n\n",
    "bare carriage returns": "GET /healthz HTTP/1.1\rHost: a\r\r",
    "a space before the first header": "GET /healthz HTTP/1.1\r\n Host: a\r\n\r\n"
  }),
  ...listCases(
    (send: Bytes) => send,
    ["a space before the colon of Content-Length", validate("Content-Length : 2\r\n\r\n{}"), notHttp],
    ["the identity coding", validate("Transfer-Encoding: identity\r\n\r\n{}"), otherCoding],
    [
      "chunks in HTTP/1.0",
      raw(
        "POST /v1/posts HTTP/1.0\r\nHost: a\r\nAuthorization: Bearer {key}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
      ),
      otherCoding
    ],
    [
      "a trailer with a key",
      raw(
        "POST /v1/posts HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n0\r\nAuthorization: Bearer {key}\r\n\r\n"
      ),
      keyMissing
    ],
    ["trailers of 20 kB", validateChunked(`2\r\n{}\r\n0\r\nX: ${"b".repeat(20_000)}\r\n\r\n`), headersTooLarge],
    [
      "a request in a body",
      create("DELETE /v1/posts/{post} HTTP/1.1\r\nHost: a\r\n\r\n"),
      notJson("Unexpected token 'D', \"DELETE /v1\"... is not valid JSON")
    ],
    [
      "a request in the body of a GET",
      raw(
        "GET /v1/posts?limit=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\nContent-Length: 109\r\n\r\nDELETE /v1/posts/{post} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer 0123456789012\r\n\r\n"
      ),
      postList
    ],
    [
      "two pipelined requests",
      raw("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n"),
      healthy,
      notFound
    ],
    ["noise after a request", raw("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n\x01\x02\x03\r\n\r\n"), healthy, notHttp],
    [
      "a body that is refused before it has arrived",
      raw("POST /v1/posts HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n", "x".repeat(100)),
      keyMissing
    ]
  )
]
