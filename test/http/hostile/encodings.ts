import { gzipSync } from "node:zlib"
import {
  aLimit,
  aStatus,
  created,
  noRequest,
  notJson,
  onePost,
  otherType,
  posts,
  unauthorized,
  unreadable,
  wrong
} from "./answers.ts"
import type { HostileCase } from "./case.ts"
import { creating, good, raw, request } from "./request.ts"

const json = "Content-Type: application/json"

/** A body with these bytes in its content. */
const around = (...bytes: ReadonlyArray<number>) =>
  Buffer.concat([Buffer.from('{"content":"'), Buffer.from(bytes), Buffer.from('","platforms":["twitter"]}')])

export const encodings: ReadonlyArray<HostileCase> = [
  {
    title: "a byte order mark",
    send: creating(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(good())])),
    answers: [created],
    changes: onePost
  },
  {
    title: "a byte that UTF-8 does not have",
    send: creating(around(0xff)),
    answers: [unreadable("The body is not valid UTF-8")]
  },
  {
    title: "a NUL in two bytes",
    send: creating(around(0xc0, 0x80)),
    answers: [unreadable("The body is not valid UTF-8")]
  },
  {
    title: "a slash in two bytes",
    send: creating(around(0xc0, 0xaf)),
    answers: [unreadable("The body is not valid UTF-8")]
  },
  {
    title: "half a surrogate pair in three bytes",
    send: creating(around(0xed, 0xa0, 0x80)),
    answers: [unreadable("The body is not valid UTF-8")]
  },
  {
    title: "a character in five bytes",
    send: creating(around(0xf8, 0x88, 0x80, 0x80, 0x80)),
    answers: [unreadable("The body is not valid UTF-8")]
  },
  {
    title: "a character beyond Unicode",
    send: creating(around(0xf4, 0x90, 0x80, 0x80)),
    answers: [unreadable("The body is not valid UTF-8")]
  },
  {
    title: "a character that is cut off",
    send: creating(around(0xe2, 0x82)),
    answers: [unreadable("The body is not valid UTF-8")]
  },
  {
    title: "UTF-16",
    send: creating(Buffer.from(good(), "utf16le")),
    answers: [notJson("Expected property name or '}' in JSON at position 1 (line 1 column 2)")]
  },
  {
    title: "UTF-16 that says so",
    send: creating(Buffer.from(good(), "utf16le"), ["Content-Type: application/json; charset=utf-16"]),
    answers: [notJson("Expected property name or '}' in JSON at position 1 (line 1 column 2)")]
  },
  {
    title: "Latin-1 that says so",
    send: creating(around(0xe9), ["Content-Type: application/json; charset=iso-8859-1"]),
    answers: [unreadable("The body is not valid UTF-8")]
  },
  {
    title: "another charset's name on UTF-8",
    send: creating("{}", ["Content-Type: application/json; charset=utf-7"]),
    answers: [wrong(["content", "This member is required"], ["platforms", "This member is required"])]
  },
  {
    title: "gzip that says so",
    send: creating(gzipSync(good()), [json, "Content-Encoding: gzip"]),
    answers: [otherType]
  },
  {
    title: "gzip that does not say so",
    send: creating(gzipSync(good())),
    answers: [unreadable("The body is not valid UTF-8")]
  },
  {
    title: "a gigabyte in a megabyte of gzip",
    send: creating(gzipSync(Buffer.alloc(100_000_000)).subarray(0, 90_000), [json, "Content-Encoding: gzip"]),
    answers: [otherType]
  },
  { title: "an unknown encoding", send: creating(good(), [json, "Content-Encoding: rot13"]), answers: [otherType] },
  {
    title: "no encoding, said aloud",
    send: creating(good(), [json, "Content-Encoding: identity"]),
    answers: [otherType]
  },
  {
    title: "a form",
    send: creating("content=Hello&platforms=twitter", ["Content-Type: application/x-www-form-urlencoded"]),
    answers: [otherType]
  },
  {
    title: "a form that JSON hides in",
    send: creating('{"content":"a","platforms":["twitter"],"tags":["=', ["Content-Type: text/plain"]),
    answers: [otherType]
  },
  {
    title: "parts",
    send: creating("--a\r\nContent-Disposition: form-data; name=content\r\n\r\nHello\r\n--a--\r\n", [
      "Content-Type: multipart/form-data; boundary=a"
    ]),
    answers: [otherType]
  },
  {
    title: "a type that begins like JSON's",
    send: creating(good(), ["Content-Type: application/jsonp"]),
    answers: [otherType]
  },
  {
    title: "a type that ends like JSON's",
    send: creating(good(), ["Content-Type: application/vnd.api+json"]),
    answers: [otherType]
  },
  {
    title: "JSON's type behind another one",
    send: creating(good(), ["Content-Type: text/html, application/json"]),
    answers: [otherType]
  },
  { title: "a type of nothing", send: creating(good(), ["Content-Type:"]), answers: [otherType] },
  {
    title: "XML with an entity from elsewhere",
    send: creating('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', [
      "Content-Type: application/xml"
    ]),
    answers: [otherType]
  },
  {
    title: "a percent sign without digits in the query",
    send: request("GET /v1/posts?status=%zz"),
    answers: [wrong(["status", aStatus])]
  },
  {
    title: "a byte that UTF-8 does not have in the query",
    send: request("GET /v1/posts?status=%ff"),
    answers: [wrong(["status", aStatus])]
  },
  {
    title: "a NUL in the query",
    send: request("GET /v1/posts?status=draft%00"),
    answers: [wrong(["status", aStatus])]
  },
  {
    title: "digits of another script",
    send: request("GET /v1/posts?limit=%D9%A1"),
    answers: [wrong(["limit", aLimit])]
  },
  {
    title: "digits of full width",
    send: request("GET /v1/posts?limit=%EF%BC%91"),
    answers: [wrong(["limit", aLimit])]
  },
  {
    title: "raw UTF-8 in the path",
    send: raw("GET /v1/posts/ä HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n"),
    answers: [noRequest],
    closes: true
  },
  {
    title: "raw bytes in a header",
    send: raw(
      "GET /v1/posts HTTP/1.1\r\nHost: a\r\nX-Request-Id: ",
      Buffer.from([0xff, 0xfe]),
      "\r\nAuthorization: Bearer {key}\r\n\r\n"
    ),
    answers: [posts]
  },
  {
    title: "a key with a letter that looks the same",
    send: request("GET /v1/posts", {
      anonymous: true,
      headers: ["Authorization: Bearer sрs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA_000000"]
    }),
    answers: [unauthorized("This is not an API key; it may be cut off or mistyped")]
  }
]
