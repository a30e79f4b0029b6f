import { gzipSync } from "node:zlib"
import {
  created,
  invalidLimit,
  invalidStatus,
  keyMalformed,
  notHttp,
  notJson,
  notUtf8,
  postList,
  unsupportedCharset,
  unsupportedType
} from "./expectedResponses.ts"
import { casesWith, type HostileCase, listCases } from "./hostileCase.ts"
import { create, createUnder, get, jsonType, raw, request, validBody } from "./requestBytes.ts"

/** A body whose content has these bytes. */
const bodyWithBytes = (bytes: ReadonlyArray<number>) =>
  Buffer.concat([Buffer.from('{"content":"'), Buffer.from(bytes), Buffer.from('","platforms":["twitter"]}')])

const utf16Body = Buffer.from(validBody(), "utf16le")
const readAsUtf8 = notJson("Expected property name or '}' in JSON at position 1 (line 1 column 2)")

const withCharset = (charset: string, body: string | Uint8Array) =>
  createUnder([`Content-Type: application/json; charset=${charset}`], body)

const withCoding = (coding: string, body: string | Uint8Array = validBody()) =>
  createUnder([jsonType, `Content-Encoding: ${coding}`], body)

const withType = (type: string, body?: string) => createUnder([`Content-Type: ${type}`], body)

export const encodings: ReadonlyArray<HostileCase> = [
  ...casesWith(notUtf8, (bytes: ReadonlyArray<number>) => create(bodyWithBytes(bytes)), {
    "a byte that UTF-8 does not have": [0xff],
    "an overlong NUL": [0xc0, 0x80],
    "an overlong slash": [0xc0, 0xaf],
    "a surrogate encoded in UTF-8": [0xed, 0xa0, 0x80],
    "a character encoded in five bytes": [0xf8, 0x88, 0x80, 0x80, 0x80],
    "a code point beyond Unicode": [0xf4, 0x90, 0x80, 0x80],
    "a truncated character": [0xe2, 0x82]
  }),
  ...listCases(
    (bytes: Uint8Array) => create(bytes),
    ["a byte order mark", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(validBody())]), created],
    ["UTF-16", utf16Body, readAsUtf8],
    ["undeclared gzip", gzipSync(validBody()), notUtf8]
  ),
  ...listCases(
    (send: ReturnType<typeof create>) => send,
    ["declared UTF-16", withCharset("utf-16", utf16Body), unsupportedCharset("utf-16")],
    ["declared Latin-1", withCharset("iso-8859-1", bodyWithBytes([0xe9])), unsupportedCharset("iso-8859-1")],
    ["UTF-8 declared as another charset", withCharset("utf-7", "{}"), unsupportedCharset("utf-7")],
    [
      "raw UTF-8 in the path",
      raw("GET /v1/posts/ä HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n"),
      notHttp
    ],
    [
      "raw bytes in a header",
      raw(
        "GET /v1/posts HTTP/1.1\r\nHost: a\r\nX-Request-Id: ",
        Buffer.from([0xff, 0xfe]),
        "\r\nAuthorization: Bearer {key}\r\n\r\n"
      ),
      postList
    ],
    [
      "a key with a homoglyph",
      request("GET /v1/posts", {
        anonymous: true,
        headers: ["Authorization: Bearer sрs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA_000000"]
      }),
      keyMalformed
    ]
  ),
  ...listCases(
    (send: ReturnType<typeof create>) => send,
    ["declared gzip", withCoding("gzip", gzipSync(validBody())), unsupportedType("with Content-Encoding: gzip")],
    [
      "a decompression bomb",
      withCoding("gzip", gzipSync(Buffer.alloc(100_000_000)).subarray(0, 90_000)),
      unsupportedType("with Content-Encoding: gzip")
    ],
    ["an unknown content coding", withCoding("rot13"), unsupportedType("with Content-Encoding: rot13")],
    ["a declared identity coding", withCoding("identity"), unsupportedType("with Content-Encoding: identity")],
    [
      "a form",
      withType("application/x-www-form-urlencoded", "content=Hello&platforms=twitter"),
      unsupportedType("as application/x-www-form-urlencoded")
    ],
    [
      "JSON disguised as a plain text form",
      withType("text/plain", '{"content":"a","platforms":["twitter"],"tags":["='),
      unsupportedType("as text/plain")
    ],
    [
      "a multipart form",
      withType(
        "multipart/form-data; boundary=a",
        "--a\r\nContent-Disposition: form-data; name=content\r\n\r\nHello\r\n--a--\r\n"
      ),
      unsupportedType("as multipart/form-data")
    ],
    ["a media type that begins like JSON's", withType("application/jsonp"), unsupportedType("as application/jsonp")],
    [
      "a media type that ends like JSON's",
      withType("application/vnd.api+json"),
      unsupportedType("as application/vnd.api+json")
    ],
    [
      "JSON's media type after another one",
      withType("text/html, application/json"),
      unsupportedType("as text/html, application/json")
    ],
    ["an empty media type", createUnder(["Content-Type:"]), unsupportedType("as no type")],
    [
      "XML with an external entity",
      withType("application/xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
      unsupportedType("as application/xml")
    ]
  ),
  ...casesWith(invalidStatus, (status) => get(`/v1/posts?status=${status}`), {
    "a percent sign without digits in the query": "%zz",
    "invalid UTF-8 in the query": "%ff",
    "a NUL in the query": "draft%00"
  }),
  ...casesWith(invalidLimit, (limit) => get(`/v1/posts?limit=${limit}`), {
    "Arabic digits": "%D9%A1",
    "full-width digits": "%EF%BC%91"
  })
]
